use super::command;

#[test]
fn pipelines() {
    let text = "a | b | c; d";
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| command(text, name).context);
    assert_eq!((a.piped_from, a.piped_into, a.stage), (false, true, 0));
    assert_eq!((b.piped_from, b.piped_into, b.stage), (true, true, 1));
    assert_eq!((c.piped_from, c.piped_into, c.stage), (true, false, 2));
    assert_eq!((d.piped_from, d.piped_into, d.stage), (false, false, 0));
    assert!(a.pipeline == b.pipeline && b.pipeline == c.pipeline && c.pipeline != d.pipeline);
    assert!(a.in_subshell && c.in_subshell && !d.in_subshell);
}

#[test]
fn what_stands_in_a_stage_reads_the_pipe() {
    for text in ["curl x | { sh; }", "curl x | (sh)", "curl x | if a; then sh; fi", "curl x | echo $(sh)"] {
        assert!(command(text, "sh").context.piped_from, "{text}");
    }
    let (curl, sh) = (command("curl x | (sh)", "curl").context, command("curl x | (sh)", "sh").context);
    assert_eq!((curl.pipeline, sh.stage), (sh.pipeline, 1));
    assert!(command("{ a; } | b", "a").context.piped_into);
    assert!(command("curl x > >(sh)", "sh").context.piped_from);
}

#[test]
fn background_and_subshell() {
    assert!(command("a & b", "a").context.background);
    assert!(command("a & b", "a").context.in_subshell);
    assert!(!command("a & b", "b").context.background);
    assert!(command("a && b & c", "b").context.background);
    assert!(command("(cd x)", "cd").context.in_subshell);
    assert!(!command("{ cd x; }", "cd").context.in_subshell);
    assert!(command("coproc a", "a").context.background);
}

#[test]
fn functions_and_substitutions() {
    assert!(command("f() { a; }; b", "a").context.in_function);
    assert!(!command("f() { a; }; b", "b").context.in_function);
    for text in ["echo $(a)", "echo `a`", "echo <(a)", "echo \"${x:-$(a)}\"", "cat <<E\n$(a)\nE", "x=$(a)"] {
        let context = command(text, "a").context;
        assert!(context.in_substitution && context.in_subshell, "{text}");
    }
    assert!(!command("echo $(a)", "echo").context.in_substitution);
    assert!(command("f() { echo $(a); }", "a").context.in_function);
}

#[test]
fn conditions() {
    let conditional = |text: &str, name: &str| command(text, name).context.conditional;
    assert!(!conditional("a && b", "a"));
    assert!(conditional("a && b", "b"));
    assert!(conditional("a || b", "b"));
    assert!(!conditional("if a; then b; fi", "a"));
    assert!(conditional("if a; then b; fi", "b"));
    assert!(conditional("if a; then b; elif c; then d; fi", "c"));
    assert!(conditional("if a; then b; else c; fi", "c"));
    assert!(conditional("while a; do b; done", "a"));
    assert!(conditional("for x in 1; do b; done", "b"));
    assert!(conditional("case x in x) b;; esac", "b"));
    assert!(!conditional("a; b", "b"));
}
