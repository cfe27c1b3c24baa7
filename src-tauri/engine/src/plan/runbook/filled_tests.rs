use std::process::Command;

use proptest::prelude::*;

use super::*;

/// Commands that print one argument a line, each with a placeholder in another quoting place, and what they print for a value.
type Place = (&'static str, fn(&str) -> String);
const PLACES: &[Place] = &[
    ("printf '%s\\n' <your-value>", |value| format!("{value}\n")),
    ("printf '%s\\n' a<your-value>b", |value| format!("a{value}b\n")),
    ("printf '%s\\n' \"a <your-value> b\"", |value| format!("a {value} b\n")),
    ("printf '%s\\n' 'a $HOME <your-value> b'", |value| format!("a $HOME {value} b\n")),
    ("printf '%s\\n' $'a\\tb <your-value>'", |value| format!("a\tb {value}\n")),
    ("X=<your-value>; printf '%s\\n' \"$X\"", |value| format!("{value}\n")),
    ("printf '%s\\n' \"$(printf '%s' <your-value>; printf .)\"", |value| format!("{value}.\n")),
    ("cat <<EOF\nx: <your-value>\nEOF", |value| format!("x: {value}\n")),
    ("cat <<'EOF'\nx: <your-value> $HOME `date` \\n\nEOF", |value| format!("x: {value} $HOME `date` \\n\n")),
    ("cat <<-'END'\n\tx: <your-value>\n\tEND", |value| format!("x: {value}\n")),
    ("(printf '%s\\n' <your-value>) # <your-value>", |value| format!("{value}\n")),
];

fn run(command: &str, value: &str) -> String {
    let done = Command::new("bash")
        .args(["--noprofile", "--norc", "-c", command])
        .env("YOUR_VALUE", value)
        .output()
        .unwrap();
    assert!(done.status.success(), "{command}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn every_quoting_place_has_its_variable() {
    let filled = |command: &str| fill(command, &[], &[]).command;
    assert_eq!(filled("ssh-keygen -C <your-value>"), "ssh-keygen -C \"${YOUR_VALUE}\"");
    assert_eq!(filled("echo 'a <your-value>'"), "echo 'a '\"${YOUR_VALUE}\"''");
    assert_eq!(filled("echo \"a <your-value>\""), "echo \"a ${YOUR_VALUE}\"");
    assert_eq!(filled("cat <<'E'\n$a <your-value>\nE"), "cat <<E\n\\$a ${YOUR_VALUE}\nE");
}

#[test]
fn where_a_value_would_be_read_as_code_it_is_left_and_told() {
    for command in [
        "bash -c 'echo <your-value>'",
        "sudo su - me -c \"echo <your-value>\"",
        "eval echo <your-value>",
        "ssh host echo <your-value>",
        "python3 -c 'print(\"<your-value>\")'",
        "echo $((1 + YOUR_VALUE))",
        "echo ${x:-YOUR_VALUE}",
        "echo `echo YOUR_VALUE`",
        "sed -i s/a/YOUR_VALUE/ f",
    ] {
        let filled = fill(command, &[], &[]);
        assert_eq!(
            (filled.command.as_str(), filled.blanks.len(), filled.left.len()),
            (command, 0, 1),
            "{command}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn no_value_becomes_syntax_in_any_quoting_place(value in "[a-zE OF'\"$`\\\\;&|\n(){}<>!*?~#%=-]{1,24}", nth in 0..PLACES.len()) {
        // What `$(…)` yields loses its line ends; that is bash's own.
        let (command, wanted) = PLACES[nth];
        let filled = fill(command, &[], &[]);
        prop_assert_eq!(run(&filled.command, &value), wanted(&value), "{}", filled.command);
    }
}
