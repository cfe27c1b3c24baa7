//! What stands behind a fence: a language and what else the page's tool reads there.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Info {
    pub(super) language: Option<String>,
    pub(super) title: Option<String>,
    pub(super) attributes: Vec<(String, String)>,
}

/// Attributes that name the block's file or caption, by how sure they are.
const TITLES: &[&str] = &["title", "filename", "file", "name", "caption", "label", "path"];

pub(crate) fn read(info: &str) -> Info {
    let mut rest = info.trim();
    let mut found = Info::default();
    // `{code-block} sh` of MyST: the directive first.
    let directive = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
    if let Some((_, after)) =
        directive.filter(|(name, _)| !name.is_empty() && !name.contains([' ', '=', '.', ',']))
    {
        rest = after.trim();
    }
    for word in words(rest) {
        let word = word.trim_matches(['{', '}', ',']);
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                let value = value.trim_matches(['{', '}', '"', '\'']);
                found.attributes.push((key.to_ascii_lowercase(), value.to_owned()));
            }
            _ => found.word(word),
        }
    }
    found.title = found.title.or_else(|| {
        TITLES.iter().find_map(|known| {
            found
                .attributes
                .iter()
                .find(|(key, value)| key == known && !value.is_empty())
                .map(|(_, value)| value.clone())
        })
    });
    found
}

impl Info {
    fn word(&mut self, word: &str) {
        if let Some(label) = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            // VitePress: the label of a tab, or the file's name.
            self.title.get_or_insert_with(|| label.to_owned());
        } else if word.starts_with('#') || word.is_empty() {
        } else if self.language.is_none() && self.attributes.is_empty() {
            let (language, file) = word.split_once(':').unwrap_or((word, ""));
            let language = language.trim_start_matches('.').trim_end_matches(',');
            if !language.is_empty() && language.chars().all(|c| c.is_alphanumeric() || "+-_#./".contains(c)) {
                self.language = Some(language.to_ascii_lowercase());
            }
            if !file.is_empty() {
                self.title = Some(file.to_owned());
            }
        } else {
            self.attributes.push((word.to_owned(), String::new()));
        }
    }
}

/// Words of an info string; quotes, brackets and braces hold theirs together.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quote) = (None, None);
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        if start.is_none() && !c.is_whitespace() {
            start = Some(at);
        }
        match c {
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if c.is_whitespace() && quote.is_none() && depth == 0 => {
                if let Some(start) = start.take() {
                    found.push(&text[start..at]);
                }
            }
            _ => {}
        }
    }
    if let Some(start) = start {
        found.push(&text[start..]);
    }
    found
}
