use super::*;
use crate::plan::validate::MAX_SOURCE_BYTES;

fn page(text: &str) -> Page {
    blocks(text, "guide.md").unwrap()
}

fn scripts(text: &str) -> Vec<String> {
    page(text).blocks.iter().filter_map(Block::text_to_read).collect()
}

fn fault(text: &str) -> (ErrorCode, String) {
    let error = blocks(text, "guide.md").unwrap_err();
    (error.code, error.message)
}

#[test]
fn headings_prose_and_lines() {
    let text = "---\ntitle: hidden\n---\n# App\n\nAn [app](http://x) with `two`\nparts. ![badge](b.png)\n\n## Set up\n\nFirst:\n\n```sh\na\nb\n```\n\nThen this.\n\n```bash\nc\n```\n\n### Deeper\n```shell\nd\n```\n## Run\n```zsh\ne\n```\n";
    let page = page(text);
    assert_eq!(page.title.as_deref(), Some("App"));
    assert_eq!(page.intro, "An app with two parts.");
    let seen: Vec<(u32, String, &str)> = page
        .blocks
        .iter()
        .map(|block| (block.line, block.headings.join("/"), block.prose.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            (13, "App/Set up".to_owned(), "First:"),
            (20, "App/Set up".to_owned(), "Then this."),
            (25, "App/Set up/Deeper".to_owned(), ""),
            (29, "App/Run".to_owned(), ""),
        ]
    );
    assert_eq!(page.blocks[0].content, Content::Script("a\nb".into()));
}

#[test]
fn which_languages_are_commands() {
    for info in ["sh", "bash", "Shell", "zsh", "{.bash}", "bash title=\"x\"", "sh,ignore"] {
        assert_eq!(scripts(&format!("```{info}\nls\n```")), ["ls"], "{info}");
    }
    for info in ["python", "json", "toml", "", "text", "powershell", "diff"] {
        assert_eq!(fault(&format!("```{info}\nls\n```")).0, ErrorCode::NoCommands, "{info}");
    }
    assert_eq!(scripts("```\n$ ls\na\n```"), ["ls"], "no language, but a prompt");
    assert_eq!(scripts("~~~sh\nls\n~~~"), ["ls"]);
    assert_eq!(
        scripts("```console\nls\n```"),
        ["ls"],
        "a console block without prompts is a list of commands"
    );
    assert_eq!(fault("    $ ls\n").0, ErrorCode::NoCommands, "indented blocks are listings");
}

#[test]
fn a_transcript_in_a_shell_block_is_a_transcript() {
    let page = page("```bash\n$ echo hi\nhi\n```");
    assert!(matches!(&page.blocks[0].content, Content::Console(commands)
        if commands[0].command == "echo hi" && commands[0].expected == "hi"));
}

#[test]
fn other_blocks_leave_a_hint() {
    let page = page("Put this in config:\n\n```toml\na = 1\n```\n\n```sh\nrun\n```");
    assert_eq!(
        page.blocks[0].prose,
        "Put this in config:\n\n(The page shows a block of toml here, which is not run.)"
    );
}

#[test]
fn blocks_in_lists_and_quotes() {
    let text = "1. Get it:\n   ```sh\n   git clone x \\\n     --depth 1\n   ```\n2. Build it:\n\n   ```sh\n   make\n   ```\n\n> ```sh\n> quoted\n> ```\n";
    assert_eq!(scripts(text), ["git clone x \\\n  --depth 1", "make", "quoted"]);
    assert_eq!(page(text).blocks[1].prose, "Build it:");
}

#[test]
fn an_unclosed_fence_is_told_with_its_line() {
    for text in ["# T\n\n```sh\nls\n", "# T\n\n```sh", "# T\n\n````sh\nls\n```\n", "# T\n\n~~~json\n{}\n```"]
    {
        let (code, message) = fault(text);
        assert_eq!(code, ErrorCode::UnclosedFence, "{text}");
        assert!(message.contains("line 3"), "{message}");
    }
    let (code, message) = fault("```sh\nls\n```\n\n1. x\n   ```sh\n   ls\n```\n");
    assert_eq!(code, ErrorCode::UnclosedFence);
    assert!(message.contains("line 6"), "{message}");
    assert_eq!(scripts("```sh\nls\n`````\n"), ["ls"]);
}

#[test]
fn no_commands_at_all() {
    for text in ["", "Just words.", "```sh\n\n```", "```console\n$ \n```"] {
        let (code, message) = fault(text);
        assert_eq!(code, ErrorCode::NoCommands, "{text}");
        assert!(message.contains("guide.md") && message.contains("```sh"), "{message}");
    }
}

#[test]
fn comments_that_say_more_about_a_step() {
    let text = "<!-- plan mode=agentic -->\n<!-- step id=a verify=\"test -f x\" -->\n```sh\na\nb\n```\n<!-- expected -->\n```text\nout\n```\n```sh\nc\n```\n";
    let page = page(text);
    assert_eq!(page.attributes.mode, Some(crate::protocol::Mode::Agentic));
    assert!(matches!(&page.blocks[0].content, Content::Step { command, attributes }
        if command == "a\nb" && attributes.verify.as_deref() == Some("test -f x")));
    assert_eq!(page.blocks[0].expected.as_deref(), Some("out"));
    assert_eq!(page.blocks[1].content, Content::Script("c".into()));
    let (code, message) = fault("\n<!-- step id=a colour=red -->\n```sh\na\n```");
    assert_eq!(code, ErrorCode::InvalidPlan);
    assert!(message.contains("line 2") && message.contains("colour"), "{message}");
}

#[test]
fn a_comment_does_not_reach_over_a_heading() {
    let page = page("<!-- step id=a -->\n\n## Other\n\n```sh\na\n```");
    assert_eq!(page.blocks[0].content, Content::Script("a".into()));
}

#[test]
fn long_prose_is_cut_at_its_start() {
    let text = format!("{}\n\nThe end.\n\n```sh\na\n```", "word ".repeat(5_000));
    assert_eq!(page(&text).blocks[0].prose, "The end.");
    let text = format!("{}end.\n\n```sh\na\n```", "word ".repeat(5_000));
    let prose = &page(&text).blocks[0].prose;
    assert!(
        prose.starts_with('…') && prose.ends_with("end.") && prose.chars().count() <= MAX_PROSE,
        "{prose}"
    );
}

#[test]
fn a_large_page_is_read_in_one_pass() {
    let one = "## Section\n\nSome words.\n\n```sh\necho one\n```\n\n";
    let text = one.repeat(MAX_SOURCE_BYTES / one.len());
    let started = std::time::Instant::now();
    assert_eq!(page(&text).blocks.len(), MAX_SOURCE_BYTES / one.len());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}
