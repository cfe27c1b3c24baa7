//! Where the reader says that it knows a word, bash itself must print the same.

use std::process::Command;

use planwright_shell::Value;

use super::sure;

#[test]
fn known_words_are_what_bash_makes_of_them() {
    for words in [
        r"r\m r''m 'rm' $'\x72m' ab\'c",
        r#""a\"b" "a\nb" "a\$b" 'a\b' "\\" "'""#,
        r"$'a\tb' $'\u00e9' $'\101' $'it\'s' $'\q' $'a\\b' $'\e[0m' $'\U0001F600'",
        "a\\\nb \"a\\\nb\" 'a\\\nb'",
        "{a,b}c x{1..5..2} {c..a} {3..1} {a,b{1,2}} {a,'b c'} {,x}y a{b}c {} {a,b",
        r"{a\,b,c} \{a,b\} '{a,b}' {a,} x{,}",
        "a#b '' \"\" a''b $ \"$\" a$ \"a$\" %x ^y a=b --c=d",
        r"\~ '~' a~b \* '*' \[a] é漢 \é",
        r#"$"hi" a"b"'c'd $'\x41\x42c' $'\1012'"#,
    ] {
        let facts = sure(&format!("printf '%s\\0' {words}"));
        let mut known = Vec::new();
        for word in facts.commands[0].words.iter().skip(2) {
            match &word.value {
                Value::Known { text, tilde: false } => known.push(text.clone()),
                Value::Several { texts } => known.extend(texts.iter().cloned()),
                other => panic!("{} is not known: {other:?}", word.raw),
            }
        }
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "+O", "extglob", "-c", &format!("printf '%s\\0' {words}")])
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("bash is there");
        let printed = String::from_utf8(output.stdout).expect("text");
        let printed: Vec<&str> = printed.split_terminator('\0').collect();
        assert_eq!(known, printed, "{words}");
    }
}
