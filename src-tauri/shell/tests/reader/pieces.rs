use super::{program, sure};

fn texts(text: &str) -> Vec<String> {
    sure(text).pieces.into_iter().map(|piece| piece.text).collect()
}

#[test]
fn scripts_are_split_at_top_level() {
    for (text, expected) in [
        ("a; b\nc", vec!["a", "b", "c"]),
        ("a && b || c; d | e", vec!["a && b || c", "d | e"]),
        ("b; sleep 1 &", vec!["b", "sleep 1 &"]),
        ("f() {\n  a\n  b\n}\nf", vec!["f() {\n  a\n  b\n}", "f"]),
        ("function g { a; }\ng", vec!["function g { a; }", "g"]),
        ("for x in 1 2; do\n a; b\ndone\nc", vec!["for x in 1 2; do\n a; b\ndone", "c"]),
        ("cat <<E\na; b\n\nE\nc", vec!["cat <<E\na; b\n\nE", "c"]),
        ("cat <<E > f; b\nx\nE\nc", vec!["cat <<E > f; b\nx\nE", "c"]),
        ("cat <<-'E' | sh\n\ta\n\tE\nb", vec!["cat <<-'E' | sh\n\ta\n\tE", "b"]),
        ("a \\\n  b\nc", vec!["a \\\n  b", "c"]),
        ("set -e\ntime b\n2>f c", vec!["set -e", "time b", "2>f c"]),
        ("x=1\ny=(1\n2)\n[[ a ]]\n((1))", vec!["x=1", "y=(1\n2)", "[[ a ]]", "((1))"]),
        ("a |\n b &&\n c\nd", vec!["a |\n b &&\n c", "d"]),
        ("echo 'x # y' \"z # w\" # note\nb", vec!["echo 'x # y' \"z # w\"", "b"]),
        ("if a; then # why\n b # how\nfi # end\nc", vec!["if a; then # why\n b # how\nfi", "c"]),
        ("case x in\n a) b;;\nesac; c", vec!["case x in\n a) b;;\nesac", "c"]),
        ("echo ü; echo é", vec!["echo ü", "echo é"]),
        ("(a; b) > f; { c; } 2>&1", vec!["(a; b) > f", "{ c; } 2>&1"]),
    ] {
        assert_eq!(texts(text), expected, "{text}");
    }
}

#[test]
fn what_makes_no_sense_apart_is_one_piece() {
    for (text, expected) in [
        ("a; (sleep 1; echo saved > out) & wait", vec!["a", "(sleep 1; echo saved > out) & wait"]),
        ("srv & sleep 2; curl x\nkill %1", vec!["srv & sleep 2; curl x\nkill %1"]),
        (
            "d=$(mktemp -d)\ntrap 'rm -r $d' EXIT\n# use it\ncp x $d\nls $d",
            vec!["d=$(mktemp -d)", "trap 'rm -r $d' EXIT\n# use it\ncp x $d\nls $d"],
        ),
        ("exec 3>log; echo a >&3", vec!["exec 3>log", "echo a >&3"]),
        ("exec > log 2>&1\na\nb", vec!["exec > log 2>&1\na\nb"]),
        ("coproc cat\necho a >&${COPROC[1]}", vec!["coproc cat\necho a >&${COPROC[1]}"]),
        ("trap - EXIT; a", vec!["trap - EXIT", "a"]),
        ("exec ls; a", vec!["exec ls; a"]),
        ("exec \"$SHELL\" -l; a", vec!["exec \"$SHELL\" -l", "a"]),
        ("exec {log}>f; echo >&$log", vec!["exec {log}>f; echo >&$log"]),
        ("a; exit; b", vec!["a", "exit; b"]),
        ("[ -e a ] && exit 0\nb", vec!["[ -e a ] && exit 0\nb"]),
        ("[ -e a ] || exit 1\nb", vec!["[ -e a ] || exit 1", "b"]),
        ("d() { exit 0; }\na\nd\nb", vec!["d() { exit 0; }", "a", "d\nb"]),
        ("t() { trap 'a' INT; }\n(t)\nt\nb", vec!["t() { trap 'a' INT; }", "(t)", "t\nb"]),
        ("f() { a & }\nf\nwait", vec!["f() { a & }", "f\nwait"]),
        ("a() { b; }\nexport -f a\nbash -c a", vec!["a() { b; }", "export -f a\nbash -c a"]),
        ("export LD_LIBRARY_PATH=lib\n./a", vec!["export LD_LIBRARY_PATH=lib\n./a"]),
        ("set -k\na x=1", vec!["set -k\na x=1"]),
        ("set +m\nset -f\na", vec!["set +m", "set -f", "a"]),
        ("set -- a\nset +B; echo {a,b}", vec!["set -- a", "set +B; echo {a,b}"]),
        ("shopt -u sourcepath\na", vec!["shopt -u sourcepath\na"]),
        ("echo $$; b > x.$$", vec!["echo $$", "b > x.$$"]),
        ("a\ncd $_\nb", vec!["a\ncd $_", "b"]),
        ("a\ncase $? in 0) b ;; esac", vec!["a\ncase $? in 0) b ;; esac"]),
        ("a\nf() { echo $?; }", vec!["a", "f() { echo $?; }"]),
        ("! a\nb; c", vec!["! a\nb", "c"]),
        ("((i++))\nb; c", vec!["((i++))\nb", "c"]),
        ("shopt -q x && a\nb; c", vec!["shopt -q x && a\nb", "c"]),
        ("a && b; c", vec!["a && b", "c"]),
        ("shopt -s extglob\nls !(a)\nb", vec!["shopt -s extglob", "ls !(a)", "b"]),
        ("shopt -s nullglob\nb", vec!["shopt -s nullglob", "b"]),
        ("a\necho $?\nb", vec!["a\necho $?", "b"]),
        (
            "a | b\nif [ ${PIPESTATUS[0]} -ne 0 ]; then c; fi\nd",
            vec!["a | b\nif [ ${PIPESTATUS[0]} -ne 0 ]; then c; fi", "d"],
        ),
        ("a\nb || echo $?", vec!["a", "b || echo $?"]),
    ] {
        assert_eq!(texts(text), expected, "{text}");
    }
}

#[test]
fn comments_go_with_the_command_below_or_beside_them() {
    let text = "#!/bin/bash\n# first\n#second\na # beside\n\n# far\n\n# near\nb; c\n# last";
    let seen: Vec<(String, String)> = sure(text).pieces.into_iter().map(|p| (p.text, p.comment)).collect();
    let expected = [("a", "first\nsecond\nbeside"), ("b", "near"), ("c", "")];
    assert_eq!(seen, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn a_comment_of_the_line_before_is_not_taken_twice() {
    let seen: Vec<String> = sure("a # one\nb # two").pieces.into_iter().map(|p| p.comment).collect();
    assert_eq!(seen, ["one", "two"]);
}

#[test]
fn joined_pieces_hold_the_same_commands_as_the_whole() {
    for text in [
        "#!/bin/sh\nset -eu\nf() { a; b; }\ncat <<E | f\n$(x)\nE\nif y; then z; fi & w || v\nu;t;s",
        "a;b;c\n\n\n d & e\nwhile f; do g; done <<E\nh\nE\n[[ i ]] && j",
    ] {
        let whole = sure(text);
        let joined = whole.pieces.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n");
        let names = |facts: &planwright_shell::Facts| facts.commands.iter().map(program).collect::<Vec<_>>();
        assert_eq!(names(&sure(&joined)), names(&whole));
        for piece in &whole.pieces {
            sure(&piece.text);
            let (start, end) = (piece.span.start as usize, piece.span.end as usize);
            assert_eq!(text.chars().skip(start).take(end - start).collect::<String>(), piece.text);
        }
    }
}
