use std::time::Duration;

use super::EvalErrorKind::{Depth, Failed, Memory, Operations, Size, Syntax, Time, TooLong, Unavailable};
use super::{EvalErrorKind, Given, Limits, eval};

/// Bounds that a busy machine and other tests in the same process do not reach.
const PATIENT: Limits = Limits { operations: 1_000_000, time: Duration::from_secs(300), memory: u64::MAX };

fn given() -> Vec<Given> {
    let of = |iteration, stdout: &str| Given {
        iteration,
        kind: "shell".to_owned(),
        content: "df -h".to_owned(),
        status: Some(0),
        stdout: stdout.to_owned(),
        stderr: String::new(),
    };
    vec![of(1, "{\"items\": [1, 2.5, null]}"), of(2, "a 1.5G 75%\nb 512K 8%\nc 20MB 3%\n")]
}

fn answer(script: &str) -> String {
    eval(script, &given(), PATIENT).unwrap_or_else(|error| panic!("{script}: {error}"))
}

fn kind(script: &str, limits: Limits) -> EvalErrorKind {
    match eval(script, &given(), limits) {
        Ok(answer) => panic!("{script} gave {answer}"),
        Err(error) => error.kind,
    }
}

#[test]
fn outputs_are_read_and_reckoned_with() {
    let cases = [
        ("40 + 2", "42"),
        ("7 / 2.0", "3.5"),
        ("()", "(no value)"),
        ("last.stdout.lines().len()", "3"),
        ("let s = 0; for l in last.stdout.lines() { s += bytes(l.words()[1]); } s", "1631137024"),
        ("results[0].iteration + results[1].iteration", "3"),
        ("parse_json(results[0].stdout).items[1]", "2.5"),
        ("to_json(#{a: [1, ()], b: \"x\"})", r#"{"a":[1,null],"b":"x"}"#),
        ("[1, \"a\", true]", "[\n  1,\n  \"a\",\n  true\n]"),
        ("#{b: 1.5}", "{\n  \"b\": 1.5\n}"),
        ("trim(\"  x \") + \"|\"", "x|"),
        ("let t = \" x \"; t.trim() + t", "x x "),
        ("\"a,b,,c\".split(\",\").len()", "4"),
        ("\"a-b\".replace(\"-\", \"+\")", "a+b"),
        ("matches(last.stdout, \"^b \")", "true"),
        ("find(\"version 1.22.3\", `\\d+(\\.\\d+)+`)", "1.22.3"),
        ("find(\"none\", `\\d`)", "(no value)"),
        ("to_json(find_all(\"a1b22\", `\\d+`))", r#"["1","22"]"#),
        ("capture(\"k=v\", `(\\w)=(\\w)`)[2]", "v"),
        ("to_json(capture_all(\"a=1 b=2\", `(\\w)=(\\d)`))", r#"[["a=1","a","1"],["b=2","b","2"]]"#),
        ("replace_all(\"2026-11-22\", `(\\d+)-(\\d+)-(\\d+)`, \"$3.$2.$1\")", "22.11.2026"),
        ("number(\" 1,234 \") + number(\"97%\")", "1331"),
        ("number(\"-0.5\")", "-0.5"),
        ("to_json(numbers(\"3 of -4 in 1.5s\"))", "[3,-4,1.5]"),
        ("bytes(\"1.5G\")", "1610612736"),
        ("bytes(\"20 MB\")", "20000000"),
        ("bytes(\"4 KiB\")", "4096"),
        ("bytes(\"17\")", "17"),
        ("bytes(\"17 bytes\")", "17"),
        ("human(1610612736)", "1.5 GiB"),
        ("human(999)", "999 B"),
        ("sum([1, 2, 3])", "6"),
        ("sum([1, 2.5])", "3.5"),
        ("[min([3, 1, 2]), max([3, 1, 2]), max([\"a\", \"b\"])].to_json()", r#"[1,3,"b"]"#),
        ("to_json(sorted([3, 1.5, 2]))", "[1.5,2,3]"),
        ("to_json([1, 2, 3, 4].filter(|x| x % 2 == 0))", "[2,4]"),
        ("print(\"one\"); print(\"two\"); 3", "one\ntwo\n3"),
        ("fn twice(x) { x * 2 } twice(21)", "42"),
        ("last.missing == ()", "true"),
    ];
    for (script, expected) in cases {
        assert_eq!(answer(script), expected, "{script}");
    }
}

#[test]
fn with_no_result_yet_there_is_none() {
    assert_eq!(eval("results.len() == 0 && last == ()", &[], PATIENT), Ok("true".to_owned()));
}

#[test]
fn a_hostile_script_ends_with_its_reason() {
    let nested = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let long = format!("// {}", "x".repeat(20_000));
    let cases = [
        ("loop {}", Operations),
        ("while true { 1 + 1; }", Operations),
        ("for i in 0..100000000 { }", Operations),
        ("fn f(x) { f(x + 1) } f(0)", Depth),
        ("let s = \"xx\"; loop { s += s; }", Size),
        ("let s = \"xx\"; loop { s = `${s}${s}`; }", Size),
        ("let s = \"x\"; loop { s = s.replace(\"x\", \"xxxxxxxxxx\"); }", Size),
        ("\"x\".pad(1000000000, \"y\")", Size),
        ("let a = []; loop { a.push(1); }", Size),
        ("let a = [1]; loop { a += a; }", Size),
        ("let a = []; a.pad(1000000000, 0);", Size),
        ("let a = [1]; loop { a = [a, a]; }", Size),
        ("let m = #{}; loop { m = #{ a: m, b: m }; }", Size),
        ("let m = #{}; for i in 0..100000 { m[`k${i}`] = i; }", Operations),
        ("to_json([[]].map(|a| { for i in 0..200 { a = [a]; } a }))", Failed),
        ("find(\"aaaa\", `(?:a{0,1000}){0,1000}`)", Failed),
        ("find(\"a\", `(((((a{10}){10}){10}){10}){10})`)", Failed),
        ("find(\"a\", `(unclosed`)", Failed),
        ("let t = \"[[[[[[[[[[\"; for i in 0..10 { t += t; } parse_json(t)", Failed),
        (nested.as_str(), Depth),
        (long.as_str(), TooLong),
        ("import \"os\" as os;", Unavailable),
        ("eval(\"40 + 2\")", Unavailable),
        ("Fn(\"open\")", Unavailable),
        ("open(\"/etc/passwd\")", Unavailable),
        ("open_file(\"/etc/passwd\").read_string()", Unavailable),
        ("system(\"id\")", Unavailable),
        ("http_get(\"http://127.0.0.1/\")", Unavailable),
        ("sleep(1000)", Unavailable),
        ("timestamp()", Unavailable),
        ("let x = 1; (|| x).call()", Failed),
        ("let a = [1]; a[7]", Failed),
        ("1 / 0", Failed),
        ("9223372036854775807 + 1", Failed),
        ("throw \"no\"", Failed),
        ("undefined_name", Failed),
        ("let x = ;", Syntax),
        ("\"open", Syntax),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(script, expected)| match eval(script, &given(), PATIENT) {
            Err(error) if error.kind == *expected => None,
            other => {
                Some(format!("{}: {expected:?}, not {other:?}", script.chars().take(60).collect::<String>()))
            }
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_value_nested_thousands_deep_breaks_no_stack() {
    let few = Limits { operations: 20_000, ..PATIENT };
    assert_eq!(kind("let a = []; loop { a = [a]; }", few), Operations);
}

#[test]
fn time_ends_what_operations_do_not() {
    let soon = Limits { operations: u64::MAX, time: Duration::from_millis(50), ..PATIENT };
    assert_eq!(kind("loop {}", soon), Time);
    // One call, whose search for all matches is the square of its text.
    let text = "let s = \"AAAAAAAAAA\"; for i in 0..14 { s += s; }";
    assert_eq!(kind(&format!("{text} loop {{ find_all(s, `.*[^A-Z]|[A-Z]{{9,}}`); }}"), soon), Time);
}

#[test]
fn memory_ends_what_hides_its_size() {
    let small = Limits { operations: u64::MAX, memory: 64 * 1024 * 1024, ..PATIENT };
    let text = "let s = \"xxxxxxxxxx\"; for i in 0..16 { s += s; }";
    // The names of a map's fields are in no count.
    assert_eq!(
        kind(&format!("{text} let m = #{{}}; for i in 0..4000 {{ m[`${{i}}` + s] = 1; }}"), small),
        Memory
    );
}

#[test]
fn what_goes_wrong_names_the_line_and_a_way_out() {
    let error = eval("let a = 1;\nlet b = 2;\nopen(\"/etc/passwd\")", &[], PATIENT).unwrap_err();
    assert_eq!((error.kind, error.line), (Unavailable, Some(3)));
    let words = error.to_string();
    assert!(words.starts_with("line 3: there is no `open (") && words.contains("file_read"), "{words}");
    assert_eq!(
        eval("\nnumber(\"x\")", &[], PATIENT).unwrap_err().to_string(),
        "line 2: `x` is not a number; cut it out first, or use numbers()"
    );
    let endless = eval("let a = 1;\nloop {}", &[], PATIENT).unwrap_err().to_string();
    assert_eq!(endless, "line 2: more than 1000000 operations; is there a loop without an end?");
}

#[test]
fn an_answer_and_what_is_printed_are_bounded() {
    let long = answer("let s = \"0123456789\"; for i in 0..14 { s += s; } s");
    assert!(long.contains("characters left out") && long.len() < 20_000, "{}", long.len());
    let printed = answer("for i in 0..20000 { print(\"0123456789012345678901234567890123456789\"); }");
    assert!(printed.len() < 20_000, "{}", printed.len());
}
