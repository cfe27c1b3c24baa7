//! What holds for every form.

use crate::{BlockKind, Document};

#[test]
fn ranges_of_markdown_lie_where_the_text_stands() {
    let document =
        Document::read(b"Intro `a b`.\n\n# Top\n\n1. One\n   ```sh\n   ls\n   pwd\n   ```\n", "x.md");
    let mut code = 0;
    for (_, block) in document.blocks() {
        match &block.kind {
            BlockKind::Code(block) => {
                let lines: Vec<_> = block.lines.iter().map(|line| &document.text[line.clone()]).collect();
                assert_eq!(lines, ["ls", "pwd"]);
                code += 1;
            }
            BlockKind::Prose { inline, .. } => {
                assert!(inline.iter().all(|one| document.text[one.range.clone()] == one.text));
            }
            BlockKind::Table { .. } | BlockKind::Comment { .. } => {}
        }
    }
    assert_eq!(code, 1);
    assert_eq!(document.title.as_deref(), Some("Top"));
}
