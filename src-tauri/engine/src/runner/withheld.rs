//! Secret values on their way to a command and back: the shell state that is kept, shown and judged has a reference in the place of
//! each, and only the command's own shell has the value. Whatever a command makes of one (`export TOKEN=$YOUR_TOKEN`) comes back
//! as a reference again.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use super::state::plain_value;
use crate::plan::inputs::{declaration, escaped, reference};
use crate::protocol::ShellState;
use crate::redact::SHORTEST;

/// Secret values by the names of their variables, in memory alone. Clones share them.
#[derive(Clone, Default)]
pub struct Withheld(Arc<BTreeMap<String, SecretString>>);

impl fmt::Debug for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Withheld({} values)", self.0.len())
    }
}

impl Withheld {
    pub(crate) fn insert(&mut self, name: &str, value: &str) {
        Arc::make_mut(&mut self.0).insert(name.to_owned(), SecretString::from(value));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        Arc::make_mut(&mut self.0).remove(name);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The state that the command starts from, with the values in it.
    pub(super) fn revealed(&self, shell: ShellState) -> ShellState {
        if self.0.is_empty() {
            return shell;
        }
        // Backwards, so that a reference in which another secret was found is whole again before it is looked for.
        let mut all = self.longest_first();
        all.reverse();
        let plain =
            |text: String| all.iter().fold(text, |text, (name, value)| text.replace(&reference(name), value));
        let code = |text: String| {
            all.iter().fold(text, |text, (name, value)| text.replace(&reference(name), &escaped(value)))
        };
        changed(shell, &plain, &|name, statement| Some((name, code(statement))))
    }

    /// The state that a command left, without them.
    pub(super) fn hidden(&self, shell: ShellState) -> ShellState {
        if self.0.is_empty() {
            return shell;
        }
        let all = self.longest_first();
        let plain =
            |text: String| all.iter().fold(text, |text, (name, value)| hide(&text, value, &reference(name)));
        changed(shell, &plain, &|name, statement| {
            if let Some(value) = plain_value(&name, &statement) {
                let shown = plain(value.clone());
                let statement = if shown == value { statement } else { declaration(&name, &shown) };
                return Some((name, statement));
            }
            // Of an array or a function what is not written as bash writes it in double quotes cannot be put back, and goes.
            let shown = all
                .iter()
                .fold(statement, |text, (name, value)| hide(&text, &escaped(value), &reference(name)));
            let is_left = all.iter().flat_map(|(_, value)| value.lines()).any(|line| {
                let words = line.split(['\\', '"', '\'', '$', '`']).filter(|part| part.len() >= SHORTEST);
                words.into_iter().any(|part| shown.contains(part))
            });
            (!is_left).then_some((name, shown))
        })
    }

    /// One secret may be the beginning of another.
    fn longest_first(&self) -> Vec<(&str, &str)> {
        let mut all: Vec<(&str, &str)> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
        all.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        all
    }
}

/// A short value is found in everything; only what is nothing else is taken for it.
fn hide(text: &str, value: &str, reference: &str) -> String {
    match value.len() {
        0 => text.to_owned(),
        1..SHORTEST if text == value => reference.to_owned(),
        1..SHORTEST => text.to_owned(),
        _ => text.replace(value, reference),
    }
}

/// Every text of a shell state changed: values as they are by `plain`, statements and definitions by `code`.
fn changed(
    shell: ShellState,
    plain: &dyn Fn(String) -> String,
    code: &dyn Fn(String, String) -> Option<(String, String)>,
) -> ShellState {
    let list = |texts: Vec<String>| texts.into_iter().map(plain).collect();
    let statements = |all: BTreeMap<String, String>| {
        all.into_iter().filter_map(|(name, statement)| code(name, statement)).collect()
    };
    ShellState {
        cwd: plain(shell.cwd),
        environment: shell.environment.into_iter().map(|(name, value)| (name, value.map(plain))).collect(),
        variables: statements(shell.variables),
        functions: statements(shell.functions),
        aliases: shell.aliases.into_iter().map(|(name, words)| (name, plain(words))).collect(),
        arguments: list(shell.arguments),
        folders: list(shell.folders),
        traps: list(shell.traps),
        umask: shell.umask,
        options: shell.options,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "s3cret \"$x` \\end";

    fn withheld() -> Withheld {
        let mut withheld = Withheld::default();
        withheld.insert("KEY", KEY);
        withheld.insert("PIN", "123");
        withheld
    }

    fn shell(with: &[(&str, &str)]) -> ShellState {
        let environment = with.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned())));
        ShellState { cwd: "/123".into(), environment: environment.collect(), ..ShellState::default() }
    }

    #[test]
    fn what_a_command_makes_of_a_secret_comes_back_as_a_reference() {
        let mut left =
            shell(&[("TOKEN", KEY), ("HEADER", &format!("Bearer {KEY}")), ("PIN", "123"), ("N", "1234")]);
        left.variables.insert("own".into(), declaration("own", KEY));
        left.variables.insert("list".into(), format!("declare -a list=([0]=\"{}\")", escaped(KEY)));
        left.variables.insert("ansi".into(), "declare -a ansi=([0]=$'s3cret \"$x` \\\\end\\n')".into());
        left.functions.insert("f".into(), format!("f () \n{{ \n    echo \"{}\"\n}}", escaped(KEY)));
        let kept = withheld().hidden(left.clone());
        let text = serde_json::to_string(&kept).unwrap();
        assert!(!text.contains("s3cret"), "{text}");
        assert_eq!(kept.environment["HEADER"].as_deref(), Some("Bearer [secret KEY]"));
        assert_eq!(kept.environment["PIN"].as_deref(), Some("[secret PIN]"));
        assert_eq!(kept.cwd, "/123", "a short value is not looked for in others");
        left.variables.remove("ansi");
        assert_eq!(withheld().revealed(kept), left);
    }

    proptest! {
        #[test]
        fn a_hidden_state_is_the_same_when_it_is_revealed(value in "[a-z\"'$`\\\\\n ]{6,20}", around in "[a-z\"$ ]{0,9}") {
            let mut withheld = Withheld::default();
            withheld.insert("KEY", &value);
            let mut left = shell(&[("A", &value), ("B", &format!("{around}{value}"))]);
            left.variables.insert("v".into(), declaration("v", &format!("{value}{around}")));
            let kept = withheld.hidden(left.clone());
            prop_assert!(kept.environment["B"].as_ref().is_some_and(|shown| !shown.contains(&value)));
            prop_assert_eq!(withheld.revealed(kept), left);
        }
    }
}
