use planwright_shell::{DoubtKind, MAX_NESTING, MAX_TEXT, read};
use proptest::prelude::*;

use super::{facts, kinds};

#[test]
fn what_is_not_shell_is_a_doubt_with_its_line() {
    for (text, line) in
        [("if", 1), ("ls\nfi", 2), ("echo 'a", 1), ("a\nb )", 2), ("x=$(", 1), ("cat <<E\nhi", 2)]
    {
        let doubts = facts(text).doubts;
        assert_eq!(doubts.first().map(|doubt| doubt.kind), Some(DoubtKind::Syntax), "{text}");
        assert!(doubts[0].line.is_some_and(|found| found <= line), "{text}: {doubts:?}");
    }
}

#[test]
fn known_holes_of_the_parser_fail_closed() {
    for text in [
        // With extended patterns on it is a word, without them it runs.
        "ls @(a|b); !(touch f)",
        "if !(touch f); then ls +(a); fi",
        "x=$(case a in a) rm y;; esac)",
        "echo ${x@Z}",
        "echo ${x:-<(rm y)}",
        "echo {1..99999999999999999999}",
        "99999999999>f ls",
        "ls ~99999999999999999999999",
        "echo $(cat <<E\nit's )\nE\n)",
    ] {
        assert!(!kinds(text).is_empty(), "{text}");
    }
}

#[test]
fn text_of_the_wrong_size_is_refused() {
    assert_eq!(kinds(&"a".repeat(MAX_TEXT + 1)), [DoubtKind::TooLong]);
    assert_eq!(kinds(&"a".repeat(MAX_TEXT)), []);
    assert_eq!(read("ls -l", 4).doubts[0].kind, DoubtKind::TooLong);
}

#[test]
fn deep_nesting_is_refused_at_once() {
    for open in ["(", "((", "{ ", "$(", "\"$(", "if ", "while ", "${x:-", "$[", "[[ (", "if true; then "] {
        let text = open.repeat(1_000);
        let start = std::time::Instant::now();
        assert_eq!(kinds(&text), [DoubtKind::TooDeep], "{open}");
        assert!(start.elapsed().as_millis() < 500);
    }
    let deep = |n: usize| format!("{}ls{}", "{ ".repeat(n), "; }".repeat(n));
    assert_eq!(kinds(&deep(MAX_NESTING + 1)), [DoubtKind::TooDeep]);
    assert_eq!(kinds(&deep(8)), []);
    // Subshells to bash, a sum to the parser.
    assert_eq!(kinds("( ( ls ) )"), [DoubtKind::Syntax]);
    let quoted = "( \")\" ; ".repeat(1_000);
    assert_eq!(kinds(&quoted), [DoubtKind::TooDeep]);
}

#[test]
fn what_takes_the_parser_for_ever_is_refused_at_once() {
    for text in [
        "(".repeat(11),
        "{a,".repeat(9),
        "case x in x) ".repeat(7),
        "cat <<E$[\t\t".to_owned(),
        "cat <<- 'E'$[\n".to_owned(),
    ] {
        let start = std::time::Instant::now();
        assert_ne!(kinds(&text), [], "{text}");
        assert!(start.elapsed().as_millis() < 200, "{text}");
    }
    for (open, close, most) in [("(", ")", 10), ("{a,", "b}", 8), ("case x in x) ", " ;; esac", 6)] {
        for text in [open.repeat(most), format!("{}ls{}", open.repeat(most), close.repeat(most))] {
            let start = std::time::Instant::now();
            kinds(&text);
            assert!(start.elapsed().as_secs() < 2, "{text}: {:?}", start.elapsed());
        }
    }
    assert_eq!(kinds("x=$((1 << 3)); cat <<X\n$x\nX\necho {a,{b,{c,d}}}"), []);
}

/// The parser reads a sum here, with no command in it; bash runs what stands in the brackets.
#[test]
fn brackets_apart_are_no_sum() {
    for text in [
        "ls; ( ( rm x ) )",
        "ls; ( (rm x) )",
        "ls; ((rm x) )",
        "ls `( ( rm x ) )`",
        "cat <<E >f; ( ( rm x ) )\nE",
    ] {
        assert!(!kinds(text).is_empty(), "{text}");
    }
    assert_eq!(kinds("((x = 1)); (( y++ )); ((\n1 )) && (ls)"), []);
}

#[test]
fn ordinary_shell_raises_no_disagreement() {
    for text in [
        "time ls | wc -l",
        "coproc N { ls; }; wait",
        "cat <<E > f; ls\nx\nE",
        "echo `date` \"`echo \\`id\\``\"",
        "r\\m x; 'ls'; \"l\"s; l\\\ns",
        "> out ls 2>&1 < in",
        "exec 3<>/dev/null; {fd}>f ls",
        "[[ -f x ]] && [ -d y ] && ((x > 1))",
        "f() { ls; }; function g { f; }; g",
        "export X=1; declare -a y=(1 2); unset X",
        "for f in *; do case $f in a) ls;; *) cat \"$f\";; esac; done < in > out",
        "echo 'é' | cat; ls 漢 > out",
        "diff <(sort a) <(sort b)",
        "if ! grep -q x y; then echo \"${a[@]}\"; fi",
        "a=1 b=2 ls; x=$(ls | wc -l)",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
}

#[test]
fn characters_that_hide_are_doubted() {
    for text in [
        "ls\r",
        "ls \u{202e}x",
        "l\u{200b}s",
        "ls\u{a0}-l",
        "ls\u{1b}[2K",
        "ls \u{b}",
        "\u{feff}ls",
        "ls \u{7f}",
    ] {
        assert!(kinds(text).contains(&DoubtKind::Hidden), "{text:?}");
    }
    assert_eq!(kinds("echo\t'ä 漢 😀'\nls"), []);
    assert_eq!(facts("ls\nls\u{200b}").doubts[0].line, Some(2));
}

#[test]
fn a_text_of_nothing_is_nothing() {
    for text in ["", "\n\n", "# only a comment", " "] {
        let facts = facts(text);
        assert!(facts.commands.is_empty() && facts.pieces.is_empty() && facts.doubts.is_empty(), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Text without the openings that are known to make the parser loop: those are the worker's to cut off.
    #[test]
    fn any_text_is_read_or_doubted(text in r#"[a-z0-9 '"\\$`{};&|<>\n#=~*.é)]{0,60}"#) {
        prop_assume!(!text.contains("<<"));
        let facts = read(&text, MAX_TEXT);
        let length = text.chars().count() as u32;
        for command in &facts.commands {
            prop_assert!(command.span.start <= command.span.end && command.span.end <= length);
            for word in &command.words {
                prop_assert!(word.span.start <= word.span.end && word.span.end <= length);
            }
        }
        // Something was written, so something is said about it.
        let silent = facts.commands.is_empty() && facts.doubts.is_empty() && facts.functions.is_empty();
        prop_assert!(!silent || text.trim().is_empty() || text.contains('#') || text.contains('\\') || text.contains("! ") || text.trim() == "!" || text.trim().starts_with("time"), "{text:?}");
    }

    /// Names that no keyword has: `case` and `coproc` are none.
    #[test]
    fn plain_commands_are_never_lost(names in prop::collection::vec("cx[a-z]{0,4}", 1..30), glue in "(; | && | \\| |\n| & )") {
        let facts = read(&names.join(&glue), MAX_TEXT);
        let seen: Vec<String> = facts.commands.iter().map(|c| c.words[0].raw.clone()).collect();
        prop_assert_eq!(facts.doubts, vec![]);
        prop_assert_eq!(seen, names);
    }
}
