//! Reads completion files of fish, which say of each option what it does: `complete -c rg -s i -l ignore-case -d 'Search …'`.

use super::{Page, PageOption};
use crate::knowledge::{Kind, Value};
use crate::protocol::MeaningSource;

/// What holds for the program itself; lines with a condition (`-n`) are for sub-commands and left out.
pub(super) fn read(name: &str, text: &str) -> Option<Page> {
    let mut page = Page::new(MeaningSource::Completion);
    for line in text.lines().filter(|line| line.starts_with("complete ")) {
        if let Some((names, option)) = option(name, &words(line)) {
            for name in names {
                page.options.entry(name).or_insert_with(|| option.clone());
            }
        }
    }
    (!page.options.is_empty()).then_some(page)
}

fn option(program: &str, words: &[String]) -> Option<(Vec<String>, PageOption)> {
    let (mut names, mut says, mut value, mut own) = (Vec::new(), String::new(), Value::None, false);
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-c" | "--command" => own = rest.next().is_some_and(|name| name == program),
            "-n" | "--condition" => return None,
            "-s" | "--short-option" => names.push(format!("-{}", rest.next()?)),
            "-o" | "--old-option" => names.push(format!("-{}", rest.next()?)),
            "-l" | "--long-option" => names.push(format!("--{}", rest.next()?)),
            "-d" | "--description" => says = super::sentence(rest.next()?),
            "-r" | "-x" | "-rf" | "-fr" | "-xa" | "--require-parameter" | "--exclusive" => {
                value = Value::Of(Kind::Text);
            }
            _ => {}
        }
    }
    let described = own && !says.is_empty() && !says.contains(['$', '(']) && !names.is_empty();
    described.then_some((names, PageOption { says, value }))
}

/// The words of a line, quotes taken off.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(own), c) if c == own => quote = None,
            (_, '\\') => word.extend(chars.next()),
            (None, '\'' | '"') => {
                quote = Some(c);
                begun = true;
            }
            (None, c) if c.is_whitespace() => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (_, c) => word.push(c),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_those_of_sub_commands_left_out() {
        let page = read(
            "sway",
            "complete -c sway -s i -l ignore -d 'Ignore it'\ncomplete -c sway -n '__fish_use' -l deep -d 'Deep'\ncomplete -c other -s x -d 'X'\ncomplete -c sway -s o -d \"Out file\" -r\n",
        )
        .unwrap();
        assert_eq!(page.option("--ignore").unwrap().says, "Ignore it");
        assert_eq!(page.option("-o").unwrap().value, Value::Of(Kind::Text));
        assert!(page.option("--deep").is_none() && page.option("-x").is_none());
        assert!(read("sway", "echo").is_none());
    }
}
