//! What the page tells its reader to replace: "Replace `joe` with your own name", `# Replace 'example.org' with your domain`.

use planwright_page::{BlockKind, Document, InlineKind};

use super::outline::sentences;
use super::words::words;

/// The texts that prose and remarks tell to replace, each once. Whether a command has one of them is not looked at.
pub(super) fn told_to_replace(document: &Document) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |token: &str| {
        let token = token.trim();
        if is_replaceable(token) && !found.iter().any(|known| known == token) {
            found.push(token.to_owned());
        }
    };
    for (_, block) in document.blocks() {
        match &block.kind {
            BlockKind::Prose { text, inline, .. } => {
                for sentence in sentences(text).into_iter().filter(|sentence| tells(sentence)) {
                    let at = sentence.as_ptr() as usize - text.as_ptr() as usize;
                    let start = at + told_at(sentence);
                    let end = at + replaced_part(sentence).len();
                    let codes = inline.iter().filter(|one| one.kind == InlineKind::Code);
                    codes.filter(|one| (start..end).contains(&one.at)).for_each(|one| add(&one.text));
                }
            }
            BlockKind::Code(code) => {
                let remarks = code.text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
                for remark in remarks.filter(|remark| tells(remark)) {
                    quoted(replaced_part(remark)).into_iter().for_each(&mut add);
                }
            }
            _ => {}
        }
    }
    found
}

fn tells(sentence: &str) -> bool {
    words().placeholder("replace", sentence)
        && !words().placeholder("replace-contents", sentence)
        && words().lead("optional", sentence).is_none()
}

/// "Replace A and B with C": what stands before the word that gives something else.
fn replaced_part(sentence: &str) -> &str {
    let lower = sentence.to_ascii_lowercase();
    let from = told_at(sentence);
    let ends =
        [" with ", " by "].iter().filter_map(|word| lower[from..].find(word)).min().map(|end| from + end);
    ends.map_or(sentence, |end| &sentence[..end])
}

/// "In `a.conf` replace `x`": what stands before the word is only where.
fn told_at(sentence: &str) -> usize {
    let lower = sentence.to_ascii_lowercase();
    ["replac", "substitut", "change"].iter().filter_map(|word| lower.find(word)).min().unwrap_or(0)
}

fn quoted(text: &str) -> Vec<&str> {
    let marks = [('\'', '\''), ('"', '"'), ('`', '`'), ('\u{201c}', '\u{201d}')];
    let mut found = Vec::new();
    for (open, close) in marks {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((inner, after)) = behind.split_once(close) else { break };
            found.push(inner);
            rest = after;
        }
    }
    found
}

/// One word that is no option, no variable and no file that the page gives other contents for.
fn is_replaceable(token: &str) -> bool {
    const FILES: [&str; 11] =
        [".conf", ".cfg", ".hjson", ".ini", ".js", ".json", ".py", ".toml", ".ts", ".yaml", ".yml"];
    // "A tool to replace `pip`": nobody's own value is called like a program.
    (3..=80).contains(&token.chars().count())
        && !words().known.contains(token)
        && !words().managers.iter().any(|one| one.programs.iter().any(|name| name == token))
        && !token.contains(char::is_whitespace)
        && !token.starts_with(['-', '$', '.', '/', '~'])
        && !token.contains(['(', ')', '=', ';', '|', '&'])
        && !FILES.iter().any(|end| token.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_to_be_replaced_is_found() {
        for (page, expected) in [
            ("Replace `joe` and `joe@x.org` with your own.\n", vec!["joe", "joe@x.org"]),
            (
                "Substitute in appropriate values for `myuser` and `myvhost` above.\n",
                vec!["myuser", "myvhost"],
            ),
            ("```yaml\n# Replace 'cloud.me' with your domain.\na: cloud.me\n```\n", vec!["cloud.me"]),
            ("Replace the contents of `app.py` with:\n", vec![]),
            ("Replace `settings.py` with the following. Run `make`.\n", vec![]),
            ("One tool to replace `pip` and `make`.\n", vec![]),
            ("The `make` command replaces `old` files.\n", vec![]),
        ] {
            let document = Document::read_text(page, "page.md");
            assert_eq!(told_to_replace(&document), expected, "{page}");
        }
    }
}
