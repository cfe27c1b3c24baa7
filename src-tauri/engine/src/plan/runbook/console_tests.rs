use super::*;

fn commands(text: &str) -> Vec<(String, String)> {
    read(text).unwrap().into_iter().map(|found| (found.command, found.expected)).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn commands_and_what_they_print() {
    let text = "$ node --version\nv20.1.0\n\n$ npm ci\n\nadded 3 packages\n\n  in 2s\n";
    assert_eq!(
        commands(text),
        pairs(&[("node --version", "v20.1.0"), ("npm ci", "added 3 packages\n\n  in 2s")])
    );
}

#[test]
fn continued_lines() {
    assert_eq!(
        commands("$ docker run \\\n    -p 80:80 \\\n>   nginx\nstarted"),
        pairs(&[("docker run \\\n    -p 80:80 \\\n  nginx", "started")])
    );
    assert_eq!(
        commands("$ echo 'a\n> b'\na\nb\n$ true &&\n> false"),
        pairs(&[("echo 'a\nb'", "a\nb"), ("true &&\nfalse", "")])
    );
    assert_eq!(
        commands("$ for f in 1 2; do\n>   echo $f\n> done\n1\n2"),
        pairs(&[("for f in 1 2; do\n  echo $f\ndone", "1\n2")])
    );
}

#[test]
fn here_documents_with_and_without_continuation_signs() {
    assert_eq!(
        commands("$ cat > a <<'EOF'\n> one\n> $ two\n> EOF\n$ cat <<-X | wc -l\n\tone\n\tX\n1"),
        pairs(&[("cat > a <<'EOF'\none\n$ two\nEOF", ""), ("cat <<-X | wc -l\n\tone\n\tX", "1")])
    );
    assert_eq!(commands("$ cat <<EOF\n$ inside\nEOF"), pairs(&[("cat <<EOF\n$ inside\nEOF", "")]));
}

#[test]
fn output_that_looks_like_a_continuation() {
    assert_eq!(
        commands("$ npm run build\n\n> app@1.0.0 build\n> tsc\n"),
        pairs(&[("npm run build", "> app@1.0.0 build\n> tsc")])
    );
    assert_eq!(commands("$ echo $((1 << 2))\n4"), pairs(&[("echo $((1 << 2))", "4")]));
    assert_eq!(commands("$ cat <<< word\nword"), pairs(&[("cat <<< word", "word")]));
    assert_eq!(commands("$ echo it\\'s # don't\nit's"), pairs(&[("echo it\\'s # don't", "it's")]));
}

#[test]
fn many_kinds_of_prompt() {
    for text in [
        "$ ls\na",
        "user@host:~/app$ ls\na",
        "[user@host app]$ ls\na",
        "(venv) $ ls\na",
        "(venv) user@host:~$ ls\na",
        "% ls\na",
        "   $ ls\n   a",
    ] {
        assert_eq!(commands(text), pairs(&[("ls", "a")]), "{text}");
        assert!(!read(text).unwrap()[0].as_root);
    }
    for text in ["# ls\na", "root@host:~# ls\na"] {
        assert_eq!(commands(text), pairs(&[("ls", "a")]), "{text}");
        assert!(read(text).unwrap()[0].as_root);
    }
}

#[test]
fn comments_beside_dollar_prompts() {
    let found = read("# Get the code\n$ git clone x\n# and go there\n$ cd x\n$ # last\n$ ls").unwrap();
    let comments: Vec<&str> = found.iter().map(|command| command.comment.as_str()).collect();
    assert_eq!(comments, ["Get the code", "and go there", "last"]);
    assert!(found.iter().all(|command| !command.as_root && command.expected.is_empty()));
}

#[test]
fn a_list_of_commands_is_no_transcript() {
    assert_eq!(read("npm ci\nnpm test"), None);
    assert!(!looks_like_transcript("npm ci\n$ x"));
    assert!(looks_like_transcript("# first\n$ npm ci"));
    assert!(!looks_like_transcript("$HOME/bin/x"));
    assert!(!looks_like_transcript("$(which ls)"));
}

#[test]
fn hostile_transcripts_end() {
    for text in ["$ '", "$ <<", "$ <<E", "$ {", "$ \\", "> x", "$", "$ for", "# "] {
        let _ = read(text);
        let _ = looks_like_transcript(text);
    }
    let long = format!("$ '{}", "a\n".repeat(3_000));
    assert_eq!(read(&long).unwrap().len(), 1);
}
