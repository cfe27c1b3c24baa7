use super::*;
use crate::protocol::ErrorCode;

fn page(text: &str) -> Page {
    blocks(text, "guide.md", &Machine::default()).unwrap()
}

fn scripts(text: &str) -> Vec<String> {
    page(text).blocks.iter().filter_map(Block::text_to_read).collect()
}

fn roles(text: &str) -> Vec<PageRole> {
    page(text).blocks.iter().map(|block| block.role).collect()
}

#[test]
fn headings_prose_and_lines() {
    let text = "---\nother: hidden\n---\n# App\n\nAn [app](http://x) with `two`\nparts. ![badge](b.png)\n\n## Set up\n\nFirst:\n\n```sh\na\nb\n```\n\nThen this.\n\n```bash\nc\n```\n\n### Deeper\n```shell\nd\n```\n## Run\n```zsh\ne\n```\n";
    let page = page(text);
    assert_eq!(page.title.as_deref(), Some("App"));
    assert_eq!(page.intro, "An app with two parts.");
    let seen: Vec<(String, &str)> =
        page.blocks.iter().map(|block| (block.headings.join("/"), block.prose.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("Set up".to_owned(), "First:"),
            ("Set up".to_owned(), "Then this."),
            ("Set up/Deeper".to_owned(), ""),
            ("Run".to_owned(), ""),
        ]
    );
    assert_eq!(page.blocks[0].content, Content::Script("a\nb".into()));
    assert!(
        page.blocks.iter().all(|block| text[block.range.clone()].lines().count() <= 4),
        "ranges are of the page"
    );
}

#[test]
fn which_languages_are_commands() {
    for info in
        ["sh", "bash", "Shell", "zsh", "{.bash}", "bash title=\"x\"", "sh,ignore", "", "text", "console"]
    {
        assert_eq!(scripts(&format!("```{info}\nls -l\n```")), ["ls -l"], "{info}");
    }
    for info in ["python", "json", "toml", "diff", "powershell"] {
        assert_eq!(scripts(&format!("```{info}\nls -l\n```")), [] as [&str; 0], "{info}");
    }
    assert_eq!(scripts("    $ ls\n"), ["ls"], "indented, and a prompt");
}

#[test]
fn a_transcript_in_a_shell_block_is_a_transcript() {
    let page = page("```bash\n$ echo hi\nhi\n```");
    assert!(matches!(&page.blocks[0].content, Content::Console(commands)
        if commands[0].text == "echo hi" && commands[0].shown == ["hi"]));
}

#[test]
fn blocks_in_lists_and_quotes() {
    let text = "1. Get it:\n   ```sh\n   git clone x \\\n     --depth 1\n   ```\n2. Build it:\n\n   ```sh\n   make\n   ```\n\n> ```sh\n> quoted\n> ```\n";
    assert_eq!(scripts(text), ["git clone x \\\n  --depth 1", "make", "quoted"]);
    assert_eq!(page(text).blocks[1].prose, "Build it:");
}

#[test]
fn a_fence_that_is_never_closed_ends_with_the_page() {
    assert_eq!(scripts("# T\n\n```sh\nls\n"), ["ls"]);
}

#[test]
fn comments_that_say_more_about_a_step() {
    let text = "<!-- plan mode=agentic -->\n<!-- step id=a verify=\"test -f x\" -->\n```sh\na\nb\n```\n<!-- expected -->\n```text\nout\n```\n```sh\nc\n```\n";
    let page = page(text);
    assert_eq!(page.attributes.mode, Some(crate::protocol::Mode::Agentic));
    assert!(matches!(&page.blocks[0].content, Content::Step { text: command, attributes }
        if command == "a\nb" && attributes.verify.as_deref() == Some("test -f x")));
    assert_eq!(page.blocks[0].expected.as_deref(), Some("out"));
    assert_eq!(roles(text), [PageRole::Run, PageRole::Output, PageRole::Run]);
    let error =
        blocks("\n<!-- step id=a colour=red -->\n```sh\na\n```", "x.md", &Machine::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidPlan);
    assert!(error.message.contains("colour"), "{}", error.message);
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
    let time = |sections: usize| {
        let text = one.repeat(sections);
        let started = std::time::Instant::now();
        assert_eq!(page(&text).blocks.len(), sections);
        started.elapsed()
    };
    let (small, large) = (time(800), time(6_400));
    assert!(large < small * 20, "eight times the page: {small:?}, then {large:?}");
}

/// Lines that are no command that is known, and that nothing but a shell reads.
#[test]
fn a_block_of_shell_is_taken_whole_where_its_lines_can_be_nothing_else() {
    for text in [
        "grep -q a b\ncase $? in 0) echo y ;; esac > o",
        "set -- a b\nfor x; do echo $x; done",
        "false || echo a > b\n! false && echo c > d",
        "a=1\n[[ $a -gt 0 ]] && echo a\n((a > 0)) && echo b\nx=2 env > c",
        "OLD=$IFS\nIFS=$'\\n'\necho a",
        "printf 'a\\nb\\n' > list\nls -l",
        "echo a > b\nexit 0\necho c",
        "mkdir d\nunset a\n: > e\n>f",
    ] {
        assert_eq!(scripts(&format!("Run this:\n\n```sh\n{text}\n```")), [text], "{text}");
    }
    let page = page("Run this:\n\n```sh\nnpm ci\nFetched 5 packages.\n```");
    assert_eq!(page.blocks[0].content, Content::Script("npm ci".into()));
    assert!(page.blocks[0].expected.is_some());
    let entered = "ssh host\nls -l\nexit";
    assert!(
        !scripts(&format!("```sh\n{entered}\n```")).contains(&entered.to_owned()),
        "who entered leaves again"
    );
}
