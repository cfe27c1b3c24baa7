//! What a page asks for, from the call: `--input`, `--input-file`, the environment.

use std::fs;

use planwright_tests::search::holding;
use proptest::prelude::*;

use crate::{Desk, Ended, ended};

const ANY: &str = "approve = \"dangerous\"\n";

/// Every place that a value can stand in: bare, in each kind of quotes, in each kind of here-document, in a file's contents.
const PLACES: &str = "```sh\n\
    printf '%s' <your-value> > bare\n\
    printf '%s' a<your-value>b > within\n\
    printf '%s' \"a <your-value> b\" > double\n\
    printf '%s' 'a $HOME <your-value> b' > single\n\
    printf '%s' $'a\\tb <your-value>' > ansi\n\
    printf '%s' \"$(printf '%s' <your-value>; printf .)\" > substituted\n\
    cat > here <<EOF\nx: <your-value>\nEOF\n\
    cat > literal <<'EOF'\nx: <your-value> $HOME `date`\nEOF\n```\n\n\
    Create `app.conf`:\n\n```ini\nvalue = \"<your-value>\" # $(date)\n```\n";

fn filled(value: &str) -> [(&'static str, String); 9] {
    [
        ("bare", value.to_owned()),
        ("within", format!("a{value}b")),
        ("double", format!("a {value} b")),
        ("single", format!("a $HOME {value} b")),
        ("ansi", format!("a\tb {value}")),
        ("substituted", format!("{value}.")),
        ("here", format!("x: {value}\n")),
        ("literal", format!("x: {value} $HOME `date`\n")),
        ("app.conf", format!("value = \"{value}\" # $(date)\n")),
    ]
}

fn run(desk: &Desk, page: &str, more: &[&str]) -> Ended {
    let (policy, page) = (desk.write("policy.toml", ANY), desk.write("page.md", page));
    let start = ["run", page.to_str().unwrap(), "--policy", policy.to_str().unwrap()];
    desk.call(&[start.as_slice(), more].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_value_is_syntax_anywhere(value in "[a-zE OF'\"$`\\\\;&|\n(){}<>!*?~#%=-]{1,24}") {
        let desk = Desk::new();
        let done = run(&desk, PLACES, &["--input", &format!("YOUR_VALUE={value}")]);
        prop_assert_eq!(done.code, Some(0), "{}", done.all());
        for (file, wanted) in filled(&value) {
            prop_assert_eq!(fs::read_to_string(desk.work().join(file)).unwrap(), wanted, "{}", file);
        }
    }
}

#[test]
fn a_secret_comes_from_a_file_the_environment_or_an_argument_and_is_written_nowhere() {
    const SECRET: &str = "c0rrect'horse\"battery$staple";
    let page = "```sh\nexport A_TOKEN=<your-token>\n```\n\n```sh\nprintf '%s' \"$A_TOKEN\" > got\necho \"$A_TOKEN\"\n```\n";
    for way in 0..3 {
        let desk = Desk::new();
        let done = match way {
            0 => {
                // Outside the folder that is worked in: what lies there before a run is kept for undo.
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("values");
                fs::write(&file, format!("# mine\n\nYOUR_TOKEN={SECRET}\n")).unwrap();
                run(&desk, page, &["--input-file", file.to_str().unwrap()])
            }
            1 => {
                let done = run(&desk, page, &["--input", &format!("YOUR_TOKEN={SECRET}")]);
                assert!(done.stderr.contains("YOUR_TOKEN is a secret"), "{}", done.all());
                done
            }
            _ => {
                let (policy, page) = (desk.write("policy.toml", ANY), desk.write("page.md", page));
                let mut call =
                    desk.command(&["run", page.to_str().unwrap(), "--policy", policy.to_str().unwrap()]);
                call.env("YOUR_TOKEN", SECRET);
                ended(call.spawn().unwrap())
            }
        };
        assert_eq!(done.code, Some(0), "{}", done.all());
        assert_eq!(fs::read_to_string(desk.work().join("got")).unwrap(), SECRET);
        assert!(!done.all().contains("battery"), "{}", done.all());
        assert_eq!(holding(&desk.data(), "battery"), Vec::<std::path::PathBuf>::new());
        for args in
            [&["report", "last"][..], &["export", "last", "--as", "sh"], &["export", "last", "--as", "json"]]
        {
            let told = desk.call(args);
            assert!(told.code == Some(0) && !told.stdout.contains("battery"), "{}", told.all());
        }
    }
}

#[test]
fn what_is_missing_or_wrong_is_named_and_nothing_runs() {
    let desk = Desk::new();
    let page = "```sh\ntouch ran <your-domain>\n```\n";
    for (more, says) in [
        (&[][..], "YOUR_DOMAIN"),
        (&["--input", "DOMAIN=x"], "It does not ask for DOMAIN. It asks for YOUR_DOMAIN."),
        (&["--input", "no pair"], "NAME=VALUE"),
        (&["--input-file", "/nowhere/at/all"], "cannot be read"),
    ] {
        let done = run(&desk, page, more);
        assert_eq!(done.code, Some(2), "{}", done.all());
        assert!(done.stderr.contains(says), "no {says:?} in {}", done.stderr);
    }
    assert!(!desk.work().join("ran").exists());
}

#[test]
fn an_exported_plan_asks_again() {
    let desk = Desk::new();
    let page = "---\ninputs:\n  - name: who\n    label: Whom to greet\n---\n\n# Greet\n\n```sh\nprintf '%s %s' \"$who\" <your-token> > said\n```\n";
    let done = run(&desk, page, &["--input", "who=it's me", "--input", "YOUR_TOKEN=hunter2x"]);
    assert_eq!(done.code, Some(0), "{}", done.all());
    for (format, name) in [("json", "again.json"), ("md", "again.md")] {
        let text = desk.call(&["export", "last", "--as", format]).stdout;
        let again = desk.write(name, &text);
        let shown = desk.call(&["import", again.to_str().unwrap(), "--json"]).json().remove(0);
        let plan = if shown["inputs"].is_array() { &shown } else { &shown["plan"] };
        let names: Vec<&str> =
            plan["inputs"].as_array().unwrap().iter().map(|input| input["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["who", "YOUR_TOKEN"], "{text}");
        assert_eq!(plan["inputs"][1]["kind"], "secret", "{text}");
        assert_eq!(plan["inputs"][1]["value"], serde_json::Value::Null, "{text}");
    }
    // The script has what was no secret, and takes the rest from the environment.
    let script = desk.write("again.sh", desk.call(&["export", "last", "--as", "sh"]).stdout);
    fs::remove_file(desk.work().join("said")).unwrap();
    let bash = |token: Option<&str>| {
        let mut bash = std::process::Command::new("setsid");
        bash.arg("bash").arg(&script).current_dir(desk.work()).stdin(std::process::Stdio::null());
        bash.env_remove("YOUR_TOKEN").envs(token.map(|token| ("YOUR_TOKEN", token))).output().unwrap()
    };
    assert!(!bash(None).status.success());
    assert!(!desk.work().join("said").exists());
    assert!(bash(Some("other")).status.success());
    assert_eq!(fs::read_to_string(desk.work().join("said")).unwrap(), "it's me other");
}
