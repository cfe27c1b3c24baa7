use super::{program, programs, shown, sure, word};

#[test]
fn every_command_is_found_wherever_it_stands() {
    for (text, expected) in [
        ("ls", "ls"),
        ("a; b & c && d || e | f |& g", "a b c d e f g"),
        ("{ a; b; } && (c; d)", "a b c d"),
        ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
        ("while a; do b; done; until c; do d; done", "a b c d"),
        ("case $(a) in b) c;; $(d)) e;; esac", "a c d e"),
        ("for ((i=$(a); i<3; i++)); do b; done", "a b"),
        ("f() { a; }; function g { b; }", "a b"),
        ("time a | b; time -p c; ! d", "a b c d"),
        ("coproc a; coproc N { b; }", "a b"),
        ("[[ -n $(a) && x == $(b) || ( ! `c` ) ]]", "a b c"),
        ("[[ x =~ (a|$(b) c) ]]", "b"),
        ("echo $(a $(b)) `c`", "echo a b c"),
        (r"echo `a \`b\``", "echo a b"),
        (r#"echo "`a "b" \"c\"`""#, "echo a"),
        ("echo \"x $(a \"$(b)\") y\"", "echo a b"),
        ("cat <(a) > >(b)", "cat a b"),
        ("diff <(a | b) <(c)", "diff a b c"),
        ("a > $(b) 2>> \"`c`\" < <(d)", "a b c d"),
        ("cat <<E\n$(a) `b` ${x:-$(c)}\nE", "cat a b c"),
        ("cat <<'E'\n$(a) `b`\nE", "cat"),
        ("cat <<\\E\n$(a)\nE", "cat"),
        ("cat <<< $(a)", "cat a"),
        ("cat <<A <<B; d\n$(a)\nA\n$(b)\nB\nc", "cat a b d c"),
        ("echo ${x:-$(a)} ${x:=`b`} ${x:+$(c)} ${x:?$(d)}", "echo a b c d"),
        ("echo ${x%$(a)} ${x##$(b)} ${x/$(c)/$(d)} ${x^^$(e)}", "echo a b c d e"),
        ("echo ${x:$(a):$(b)} ${#x} ${y[$(c)]} ${!z}", "echo a b c"),
        ("echo \"${x:-'$(a)'}\"", "echo a"),
        ("echo ${x:-${y:-${z:-$(a)}}}", "echo a"),
        ("echo $((1 + $(a))) $[ $(b) ]", "echo a b"),
        ("((x = $(a)))", "a"),
        ("echo $((a); b)", "echo a b"),
        ("echo {x,$(a)}", "echo a"),
        ("eval \"$(echo cm0gLXJm | base64 -d)\"", "eval echo base64"),
        ("$'\\x72m' -rf x", "rm"),
        ("{rm,-rf,x}", "several(rm -rf x)"),
    ] {
        assert_eq!(programs(text).join(" "), expected, "{text}");
    }
}

#[test]
fn commands_in_assignments_are_found() {
    assert_eq!(programs("x=$(a) y=\"`b`\""), ["", "a", "b"]);
    let mut in_array = programs("x=($(a) [1]=$(b) [$(c)]=d)");
    in_array.sort();
    assert_eq!(in_array, ["", "a", "b", "c"]);
    assert_eq!(programs("x[$(a)]=1 b"), ["b", "a"]);
    assert_eq!(programs("export x=$(a)"), ["export", "a"]);
    assert_eq!(programs("declare -a x=($(a) b)"), ["declare", "a"]);
}

#[test]
fn redirections_of_compound_commands_are_kept() {
    let facts = sure("{ a; } > out");
    assert_eq!(facts.commands.len(), 2);
    assert_eq!(facts.commands[0].redirects.len(), 1);
    assert_eq!(program(&facts.commands[1]), "a");
    assert_eq!(programs("while a; do b; done < $(c)"), ["", "c", "a", "b"]);
    assert_eq!(programs("f() { a; } > $(b)"), ["", "b", "a"]);
}

#[test]
fn more_than_fifty_commands_are_all_found() {
    let text = (0..200).map(|n| format!("c{n}")).collect::<Vec<_>>().join(" && ");
    assert_eq!(programs(&text).len(), 200);
}

#[test]
fn functions_are_named() {
    let found = sure("x; f() { a; }; function g-h { b; c | d; }; f");
    let functions: Vec<_> = found.functions.iter().map(|own| (own.name.as_str(), own.body.clone())).collect();
    assert_eq!(functions, [("f", 1..2), ("g-h", 2..5)]);
}

#[test]
fn extended_globs_are_not_words() {
    // bash runs `touch f` here, negated.
    assert_eq!(programs("!(touch f)"), ["touch"]);
}

#[test]
fn what_only_extended_patterns_make_whole_is_read_with_them() {
    assert_eq!(programs("shopt -s extglob\nls !(*.md); rm -f @(a|b)"), ["shopt", "ls", "rm"]);
    for (text, expected) in [
        ("!(*.md)", "glob(*)"),
        ("~/!(x)", "tilde-glob(~/*)"),
        ("a/*.@(js|ts)", "glob(a/*.*)"),
        ("x+([0-9])?(a|!(b))y", "glob(x**y)"),
    ] {
        assert_eq!(word(text), expected, "{text}");
    }
}

#[test]
fn a_select_is_a_loop() {
    for text in ["select x in a b; do rm $x; break; done", "if a; then select x\ndo b; done; fi"] {
        assert_eq!(sure(text).commands.len(), sure(&text.replace("select", "for")).commands.len(), "{text}");
        assert_eq!(programs(text), programs(&text.replace("select", "for")), "{text}");
    }
    // What is answered besides leaves the variable empty.
    let of = |text: &str| shown(&sure(text).commands[0].assignments[0].value.value);
    assert_eq!(of("for d in a b; do rm -r /$d; done"), "several(a b)");
    assert_eq!(of("select d in a b; do rm -r /$d; done"), "?[other(a b)]");
}

#[test]
fn a_backslash_at_the_end_goes_on_to_nothing() {
    for text in ["echo a \\\n", "echo a \\\n\n", "echo a \\"] {
        assert_eq!(programs(text), ["echo"], "{text:?}");
    }
}

#[test]
fn a_descriptor_name_is_no_program() {
    assert_eq!(programs("{fd}>f rm x"), ["rm"]);
}

#[test]
fn joined_process_substitutions_are_one_word() {
    let facts = sure("sort --files0-from=<(ls)");
    assert_eq!(facts.commands[0].words.len(), 2);
    assert_eq!(super::shown(&facts.commands[0].words[1].value), "?[--files0-from= ()]");
}
