//! What holds for every form: nothing panics, ranges lie in the text, what is hidden stays hidden.

use std::time::Instant;

use proptest::prelude::*;

use crate::builder::ranges_mut;
use crate::{BlockKind, Container, Document, Form};

const NAMES: &[&str] = &["x.md", "x.mdx", "x.rst", "x.adoc", "x.org", "x.html", "INSTALL", "x.sh", ""];

fn check(document: &mut Document) {
    let text = std::mem::take(&mut document.text);
    for section in &mut document.sections {
        let heading = section.heading.iter().map(|heading| &heading.range);
        for range in heading {
            assert!(text.get(range.clone()).is_some(), "heading {range:?}");
        }
        for block in &mut section.blocks {
            let whole = block.range.clone();
            for range in ranges_mut(block) {
                assert!(text.get(range.clone()).is_some(), "range {range:?} of {whole:?}");
            }
            if let BlockKind::Code(code) = &block.kind {
                let lines = if code.text.is_empty() { 0 } else { code.text.split('\n').count() };
                assert_eq!(lines, code.lines.len(), "{code:?}");
                for line in &code.lines {
                    assert!(
                        whole.start <= line.start && line.end <= whole.end,
                        "{line:?} of {whole:?}: {code:?}"
                    );
                }
            }
            if let BlockKind::Prose { text, inline } = &block.kind {
                for one in inline {
                    assert_eq!(text.get(one.at..one.at + one.text.len()), Some(one.text.as_str()));
                }
            }
        }
    }
}

/// Pieces that the readers look for, in any order.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\n",
        "\n\n",
        "    ",
        "  ",
        "\t",
        "# A",
        "## B ",
        "```",
        "````",
        "~~~",
        "```sh title=\"x\"",
        "> ",
        "> [!NOTE]",
        "- ",
        "1. ",
        "<details>",
        "<summary>",
        "</summary>",
        "</details>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<div hidden>",
        "</div>",
        "<!--",
        "-->",
        "<table>",
        "<tr><td>",
        "</table>",
        "<Tabs>",
        "<TabItem label=\"é\">",
        "</TabItem>",
        "</Tabs>",
        ":::tip",
        ":::",
        "=== \"a\"",
        "!!! note",
        "{{< tabs >}}",
        "{{% tab \"x\" %}}",
        "{{< /tab >}}",
        "{% highlight sh %}",
        "{% endhighlight %}",
        "{: .output}",
        "import x from 'y'",
        "`",
        "``",
        "**",
        "| a | b |",
        "|---|---|",
        "é",
        "→",
        "x",
        "run:",
        "::",
        ".. code-block:: sh",
        ".. note::",
        ".. tab:: x",
        "===",
        "---",
        "====",
        "----",
        "....",
        "[source,sh]",
        "|===",
        "+",
        ".Title",
        "* ",
        "#+BEGIN_SRC sh",
        "#+END_SRC",
        ":x: y",
        "[[a][b]]",
        "=x=",
        "`a <b>`_",
        ":cmd:`x`",
        "$ ls",
        "&amp;",
        "&#10;",
        "<a href=x>",
        "</a>",
        "<br>",
        "<h2>",
        "+++",
        "```{note}",
        "\\",
        "==== ====",
        "+--+",
        "\u{feff}",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_fence_with_a_blank_line_alone_has_no_lines() {
    check(&mut Document::read(b"```\n\n", "x.md"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_text_in_any_form_has_its_ranges_in_the_text(text in hostile()) {
        for name in NAMES {
            check(&mut Document::read(text.as_bytes(), name));
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for name in NAMES {
            check(&mut Document::read(&bytes, name));
        }
    }
}

fn codes(document: &Document) -> Vec<String> {
    let code = |kind: &BlockKind| match kind {
        BlockKind::Code(code) => Some(code.text.clone()),
        BlockKind::Prose { .. } | BlockKind::Table { .. } | BlockKind::Comment { .. } => None,
    };
    document.blocks().filter_map(|(_, block)| code(&block.kind)).collect()
}

fn tabs(document: &Document) -> Vec<(u32, String)> {
    let tab = |container: &Container| match container {
        Container::Tab { group, label } => Some((*group, label.clone())),
        _ => None,
    };
    document.blocks().filter_map(|(_, block)| block.within.iter().find_map(tab)).collect()
}

fn shown(document: &Document) -> String {
    let text = |kind: &BlockKind| match kind {
        BlockKind::Prose { text, .. } => text.clone(),
        BlockKind::Code(code) => code.text.clone(),
        BlockKind::Table { rows, .. } => {
            rows.iter().flatten().map(|cell| cell.text.clone()).collect::<Vec<_>>().join(" ")
        }
        BlockKind::Comment { .. } => String::new(),
    };
    document.blocks().map(|(_, block)| text(&block.kind)).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_of_code_in_a_list_stand_where_the_page_has_them() {
    let document =
        Document::read(b"Intro `a b`.\n\n# Top\n\n1. One\n   ```sh\n   ls\n   pwd\n   ```\n", "x.md");
    let lines: Vec<_> = document
        .blocks()
        .filter_map(|(_, block)| match &block.kind {
            BlockKind::Code(code) => Some(code.lines.clone()),
            _ => None,
        })
        .flatten()
        .map(|line| &document.text[line])
        .collect();
    assert_eq!(lines, ["ls", "pwd"]);
    assert_eq!(document.title.as_deref(), Some("Top"));
}

#[test]
fn tabs_of_every_notation_are_one_group() {
    let pages = [
        (
            "<Tabs>\n<TabItem value=\"a\" label=\"A\">\n```sh\none\n```\n</TabItem>\n<TabItem label=\"B\">\n\n```sh\ntwo\n```\n</TabItem>\n</Tabs>\n",
            "x.mdx",
        ),
        ("=== \"A\"\n\n    ```sh\n    one\n    ```\n\n=== \"B\"\n\n    ```sh\n    two\n    ```\n", "x.md"),
        ("::: code-group\n\n```sh [A]\none\n```\n\n```sh [B]\ntwo\n```\n\n:::\n", "x.md"),
        (
            "{{< tabs >}}\n{{% tab \"A\" %}}\n```sh\none\n```\n{{% /tab %}}\n{{% tab \"B\" %}}\n```sh\ntwo\n```\n{{% /tab %}}\n{{< /tabs >}}\n",
            "x.md",
        ),
        (
            ".. tabs::\n\n   .. tab:: A\n\n      .. code-block:: sh\n\n         one\n\n   .. code-tab:: sh B\n\n      two\n",
            "x.rst",
        ),
        (
            "<div role=tablist><button role=tab id=a>A</button><button role=tab id=b>B</button></div><div role=tabpanel aria-labelledby=a><pre>one</pre></div><div role=tabpanel hidden aria-labelledby=b><pre>two</pre></div>",
            "x.html",
        ),
    ];
    for (page, name) in pages {
        let document = Document::read(page.as_bytes(), name);
        assert_eq!(codes(&document), ["one", "two"], "{page}");
        let tabs = tabs(&document);
        let labels: Vec<_> = tabs.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["A", "B"], "{page}");
        assert!(tabs.windows(2).all(|pair| pair[0].0 == pair[1].0), "{page}");
    }
}

#[test]
fn what_nobody_sees_is_neither_prose_nor_code() {
    let pages = [
        (
            "Seen <span style=\"display: none\">secret</span> <!-- secret --> ![secret](x.png).\n\n<!--\nsecret\n-->\n\n<div hidden>\n\nsecret\n\n```sh\nsecret\n```\n\n</div>\n\n[seen](x \"secret\")\n",
            "x.md",
        ),
        (
            "<p>Seen <b hidden>secret</b><script>secret</script><style>secret</style><!-- secret --><img alt=secret></p><div style='visibility:hidden'><pre>secret</pre></div><nav>secret</nav>",
            "x.html",
        ),
        ("Seen\n\n.. secret\n   secret\n\n.. image:: x\n   :alt: secret\n", "x.rst"),
        ("Seen\n\n// secret\n\n////\nsecret\n////\n\nimage::x[secret]\n", "x.adoc"),
        ("Seen\n\n# secret\n\n#+BEGIN_COMMENT\nsecret\n#+END_COMMENT\n", "x.org"),
    ];
    for (page, name) in pages {
        let shown = shown(&Document::read(page.as_bytes(), name)).to_lowercase();
        assert!(!shown.contains("secret") && shown.contains("seen"), "{page}\n=> {shown}");
    }
}

#[test]
fn a_fence_that_never_closes_ends_before_the_next_heading() {
    let document = Document::read(b"```sh\nmake\n# all\nmake install\n\n## Next\n\nText\n", "x.md");
    assert_eq!(codes(&document), ["make\n# all\nmake install"]);
    assert_eq!(document.sections.len(), 2);
}

#[test]
fn older_encodings_and_line_ends_are_read_and_told() {
    let latin = Document::read(b"# Caf\xe9\r\n\r\nText\r\n", "x.md");
    assert_eq!(latin.title.as_deref(), Some("Café"));
    assert!(latin.encoding.carriage_returns && latin.encoding.name == "windows-1252");
    for (mark, order) in [(true, false), (false, false), (true, true), (false, true)] {
        let units = "# Title\n\n    make\n".encode_utf16();
        let mark = mark.then_some(0xfeff);
        let bytes: Vec<u8> = mark
            .into_iter()
            .chain(units)
            .flat_map(|unit| if order { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        let document = Document::read(&bytes, "x.md");
        assert_eq!(codes(&document), ["make"]);
    }
    assert_eq!(Document::read(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "x").form, Form::Binary);
}

#[test]
fn literal_blocks_and_directives_of_restructuredtext_are_code() {
    let page = "Install\n=======\n\nRun::\n\n    make\n\n1. Or this:\n\n   .. code-block:: console\n\n      $ pip install x\n\n.. note:: Read ``this``.\n";
    let document = Document::read(page.as_bytes(), "");
    assert_eq!(document.form, Form::ReStructuredText);
    assert_eq!(codes(&document), ["make", "$ pip install x"]);
    assert_eq!(document.title.as_deref(), Some("Install"));
}

#[test]
fn indented_commands_of_plain_text_are_code() {
    let page = "INSTALLATION\n\nUnpack the archive and build it,\nwhich takes a while:\n\n    ./configure\n    make\n\nThen install it as root.\n\n    # make install\n";
    let document = Document::read(page.as_bytes(), "INSTALL");
    assert_eq!(document.form, Form::Plain);
    assert_eq!(codes(&document), ["./configure\nmake", "# make install"]);
}

#[test]
fn ten_thousand_blocks_and_deep_nesting_take_linear_time() {
    let pages = [
        ("```sh\nmake\n```\n\n".repeat(10_000), "x.md"),
        ("> ".repeat(20_000), "x.md"),
        ("<div>".repeat(40_000), "x.html"),
        ("<b></i>".repeat(40_000), "x.html"),
        ("* a\n ".repeat(10_000), "x.rst"),
        ("`a ".repeat(40_000), "x.rst"),
        ("<details>\n".repeat(10_000), "x.md"),
        ("====\n".repeat(20_001), "x.adoc"),
        ("```\n~~~\n".repeat(20_001), "x.md"),
        ("<summary>".repeat(20_001), "x.html"),
        ("<table>".repeat(20_001), "x.html"),
        ("<td>".repeat(20_001), "x.html"),
        ("<details>".repeat(20_001), "x.html"),
    ];
    for (page, name) in pages {
        let start = Instant::now();
        let document = Document::read(page.as_bytes(), name);
        let took = start.elapsed();
        assert!(took.as_secs() < 5, "{name} {:?}… {took:?}, {}", &page[..10], document.blocks().count());
    }
}

#[test]
fn quotes_of_older_manuals_are_code_up_to_the_nearest_end() {
    let document = Document::read(
        b"Building the program\n\nThe `configure' script makes the `Makefile' here.\nType `make' now.\n",
        "INSTALL",
    );
    let found: Vec<_> = document
        .blocks()
        .filter_map(|(_, block)| match &block.kind {
            BlockKind::Prose { inline, .. } => {
                Some(inline.iter().map(|one| one.text.clone()).collect::<Vec<_>>())
            }
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(found.first().map(String::as_str), Some("configure"));
    assert_eq!(found.last().map(String::as_str), Some("make"));
    assert_eq!(document.title.as_deref(), Some("Building the program"));
}

#[test]
fn a_list_alone_does_not_make_plain_text_markdown() {
    let page = "Notes\n\n - one\n - two\n - three\n - four\n\nBuild:\n\n\tmake\n";
    let document = Document::read(page.as_bytes(), "INSTALL");
    assert_eq!(document.form, Form::Plain);
    assert_eq!(codes(&document), ["make"]);
}

#[test]
fn front_matter_keeps_lists_of_tables_and_long_values() {
    let page = "---\ntitle: \"A\"\nkeywords: one,\n  two\ninputs:\n  - name: domain\n    kind: text\n  - name: token\n---\n\nText\n";
    let matter = Document::read(page.as_bytes(), "x.md").front_matter.expect("there is some");
    assert_eq!(matter.get("keywords"), Some("one, two"));
    assert_eq!(matter.get("inputs.0.kind"), Some("text"));
    assert_eq!(matter.get("inputs.1.name"), Some("token"));
}

#[test]
fn listings_of_asciidoc_and_org_are_code_with_their_language() {
    let pages = [
        (
            "= T\n\n.Title\n[source,bash]\n----\nmake # <1>\n----\n<1> It.\n\n. One\n+\n----\nls\n----\n",
            "x.adoc",
        ),
        ("* T\n\n#+BEGIN_SRC bash\nmake\n#+END_SRC\n\n- One\n\n  : ls\n", "x.org"),
    ];
    for (page, name) in pages {
        let document = Document::read(page.as_bytes(), name);
        assert_eq!(codes(&document), ["make", "ls"], "{page}");
        let in_item = document
            .blocks()
            .last()
            .is_some_and(|(_, block)| matches!(block.within[..], [Container::Item { .. }]));
        assert!(in_item, "{page}");
    }
}

#[test]
fn what_folds_out_within_an_item_is_in_that_item() {
    let page = "1. **First**\n\n   <details>\n   <summary>One</summary>\n\n   > ```sh\n   > make\n   > ```\n\n   </details>\n\n\
                2. Second\n\n   <details>\n   <summary>Two</summary>\n\n   ```sh\n   ls\n   ```\n\n   </details>\n";
    let document = Document::read(page.as_bytes(), "x.md");
    let code = document.blocks().filter(|(_, block)| matches!(block.kind, BlockKind::Code(_)));
    let within: Vec<_> = code.map(|(_, block)| block.within.clone()).collect();
    let item = |number| Container::Item { ordered: true, number, list: 1 };
    let details = |summary: &str| Container::Details { summary: summary.to_owned() };
    assert_eq!(within, [vec![item(1), details("One"), Container::Quote], vec![item(2), details("Two")]]);
}
