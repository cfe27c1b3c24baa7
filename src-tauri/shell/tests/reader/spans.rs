use planwright_shell::Span;

use super::{command, sure};

fn at(text: &str, span: Span) -> String {
    text.chars().skip(span.start as usize).take((span.end - span.start) as usize).collect()
}

#[test]
fn spans_of_words_are_exact_at_every_plain_depth() {
    for text in [
        "rm -rf 'a b'",
        "é=ü echo 'ö' | grep -v ä",
        "# c\n\n  ls\t-l # d\nrm x",
        "if a; then rm x; fi",
        "echo $(rm x) \"$(ls `cat y`)\"",
        "echo a; cat <<E; echo b\n$(rm x) ü\nE\necho z",
        "a && ( b | c ) > d",
        "rm $(echo 'é') x",
        "cat <<E | rm q\nit's\nE",
    ] {
        for command in &sure(text).commands {
            for word in &command.words {
                assert_eq!(at(text, word.span), word.raw, "{text}");
                assert_eq!(word.raw.trim(), word.raw, "{text}");
            }
            for redirect in &command.redirects {
                assert_eq!(at(text, redirect.target.span), redirect.target.raw, "{text}");
            }
            for assignment in &command.assignments {
                assert_eq!(at(text, assignment.value.span), assignment.value.raw, "{text}");
            }
        }
    }
}

#[test]
fn the_span_of_a_command_covers_its_words() {
    let text = "true; A=1 rm -rf x > y; false";
    assert_eq!(at(text, command(text, "rm").span), "A=1 rm -rf x > y");
}

#[test]
fn where_escapes_move_things_the_enclosing_word_is_named() {
    let text = r"echo `a \`rm x\``";
    let span = command(text, "rm").words[0].span;
    assert!(at(text, span).contains("rm x"));
}
