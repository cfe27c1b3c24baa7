use planwright_shell::RedirectKind;

use super::{command, shown, sure, word};

#[test]
fn quotes_and_escapes_are_taken_off() {
    for text in
        [r"r\m", "r''m", "\"rm\"", r"$'\x72m'", "r\"\"m", r"\rm", "'r'm", r"$'r\155'", "r\\\nm", "$\"rm\""]
    {
        assert_eq!(word(text), "rm", "{text}");
    }
}

#[test]
fn values_of_words() {
    for (text, expected) in [
        ("''", ""),
        ("$x", "?[$x]"),
        ("\"$x\"", "?[\"x\"]"),
        ("${x}y", "?[$x y]"),
        ("a\"$x\"'b'", "?[a \"x\" b]"),
        ("$(ls)", "?[()]"),
        ("`ls`/x", "?[() /x]"),
        ("${x@P}", "?[other(${x@P})]"),
        ("${x%.*}", "?[other(${x%.*})]"),
        ("$1", "?[other($1)]"),
        ("\"$@\"", "?[other($@)]"),
        ("$((1+2))", "?[other($((1+2)))]"),
        ("*.txt", "glob(*.txt)"),
        ("'*'.t?t", r"glob(\*.t?t)"),
        ("[ab]", "glob([ab])"),
        ("[", "["),
        ("'*.txt'", "*.txt"),
        (r"\*", "*"),
        ("~", "tilde(~)"),
        ("~/x", "tilde(~/x)"),
        ("~root/x", "tilde(~root/x)"),
        ("~/*", "tilde-glob(~/*)"),
        ("'~/x'", "~/x"),
        (r"\~", "~"),
        ("~/$x", "?[other(~) / $x]"),
        ("of=~/x", "?[of= other(~/x)]"),
        ("{a,b}", "several(a b)"),
        ("x{1..3}y", "several(x1y x2y x3y)"),
        ("{01..03}", "several(01 02 03)"),
        ("{-01..3}", "?[other({-01..3})]"),
        ("{a,$x}", "?[other({a,$x})]"),
        ("{1..100000}", "?[other({1..100000})]"),
        ("'{a,b}'", "{a,b}"),
        ("{a}", "{a}"),
        ("$'\\u00e9'", "é"),
        ("$", "$"),
        ("a#b", "a#b"),
    ] {
        assert_eq!(word(text), expected, "{text}");
    }
}

#[test]
fn bare_words_have_no_quote_or_escape() {
    let facts = sure(r#"a 'b' "c" d\e $f"#);
    let bare: Vec<bool> = facts.commands[0].words.iter().map(|word| word.bare).collect();
    assert_eq!(bare, [true, false, false, false, true]);
}

#[test]
fn raw_is_as_written() {
    let facts = sure("r\\\nm 'x y' $(echo  a # no\n)");
    let raw: Vec<&str> = facts.commands[0].words.iter().map(|word| word.raw.as_str()).collect();
    assert_eq!(raw, ["r\\\nm", "'x y'", "$(echo  a # no\n)"]);
}

#[test]
fn assignments() {
    let facts = sure("A=1 B+='x y' C[2]=$z D=(1 2) E=~/x run A=2");
    let seen: Vec<_> = facts.commands[0]
        .assignments
        .iter()
        .map(|a| (a.name.as_str(), shown(&a.value.value), a.append))
        .collect();
    assert_eq!(seen[0], ("A", "1".into(), false));
    assert_eq!(seen[1], ("B", "x y".into(), true));
    assert_eq!(seen[2], ("C[2]", "?[$z]".into(), false));
    assert_eq!(seen[3].0, "D");
    assert_eq!(seen[4], ("E", "tilde(~/x)".into(), false));
    assert_eq!(facts.commands[0].words.len(), 2);
    // No braces and no file names there.
    assert_eq!(shown(&sure("x={a,b}*").commands[0].assignments[0].value.value), "{a,b}*");
}

#[test]
fn loop_variables_are_assignments() {
    let facts = sure("for c in rm ls; do $c x; done");
    assert_eq!(facts.commands[0].assignments[0].name, "c");
    assert_eq!(shown(&facts.commands[0].assignments[0].value.value), "several(rm ls)");
}

#[test]
fn redirections() {
    let text = "c <a >b >>d <>e &>f &>>g >&h 2>&1 <&3 2>&- >|i 3>j <<<k >&$x";
    let seen: Vec<_> =
        command(text, "c").redirects.iter().map(|r| (r.kind, r.fd, shown(&r.target.value))).collect();
    use RedirectKind::*;
    let expected = [
        (Read, 0, "a"),
        (Write, 1, "b"),
        (Append, 1, "d"),
        (ReadWrite, 0, "e"),
        (WriteBoth, 1, "f"),
        (AppendBoth, 1, "g"),
        (WriteBoth, 1, "h"),
        (Duplicate, 2, "1"),
        (Duplicate, 0, "3"),
        (Duplicate, 2, "-"),
        (Write, 1, "i"),
        (Write, 3, "j"),
        (HereString, 0, "k"),
        (WriteBoth, 1, "?[$x]"),
    ];
    assert_eq!(seen, expected.map(|(kind, fd, target)| (kind, fd, target.to_owned())));
}

#[test]
fn here_documents() {
    let one = |text: &str| shown(&command(text, "cat").redirects[0].target.value);
    assert_eq!(one("cat <<E\nhi 'x' \"y\" \\$z\nE"), "hi 'x' \"y\" $z\n");
    assert_eq!(one("cat <<'E'\n$x\nE"), "$x\n");
    assert_eq!(one("cat <<E\na $x\nE"), "?[a  \"x\" \n]");
    assert_eq!(one("cat <<-E\n\ta\n\tE"), "a\n");
}
