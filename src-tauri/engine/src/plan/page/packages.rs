//! A call of a package manager: which packages it gets.

use super::likeness::command_words;
use super::machine::{Fit, Machine};
use super::outline::sentences;
use super::verdict::system;
use super::words::{Manager, words};

#[derive(Debug)]
pub(super) struct Getting {
    pub(super) manager: &'static Manager,
    /// Their names, without versions and extra parts.
    pub(super) packages: Vec<String>,
    /// Some are got with parts that they have only when asked: `name[part]`.
    pub(super) has_extras: bool,
}

impl Getting {
    /// What a single command gets; `None` where it is no such call.
    pub(super) fn of(command: &str) -> Option<Self> {
        // A remark behind it names nothing.
        let command = command.split(" # ").next().unwrap_or_default();
        let typed = command_words(command);
        let manager = words().manager_of(&typed)?;
        let named: Vec<&str> = typed
            .into_iter()
            .skip(1)
            .filter(|word| !word.starts_with('-') && !manager.has_verb(word))
            .filter(|word| !matches!(*word, "pip" | "m" | "global" | "conda-forge" | "save" | "dev"))
            .collect();
        let has_extras = named.iter().any(|word| word.contains('['));
        let packages = named.into_iter().map(name).collect();
        Some(Self { manager, packages, has_extras })
    }

    /// What the manager's ways compete in.
    pub(super) fn family(&self) -> Option<&'static str> {
        let families = &words().families;
        families
            .iter()
            .find(|(_, names)| names.contains(&self.manager.name))
            .map(|(family, _)| family.as_str())
    }
}

/// "On Debian, the needed packages are", and nothing but their names: the command that gets them.
pub(super) fn listed(lead: &str, text: &str, machine: &Machine) -> Option<String> {
    let last = sentences(lead).last().copied()?;
    let is_for_here = system(last, machine, true).is_some_and(|(fit, _)| fit >= Fit::Family);
    let is_debian = machine.id == "debian" || machine.like.iter().any(|like| like == "debian");
    let names = names(text)?;
    (is_for_here && is_debian && (calls_packages(last) || are_listed(lead, text)))
        .then(|| format!("sudo apt-get install {}", names.join(" ")))
}

/// Whether a block holds nothing but names of packages, as the sentence before it says, and is no call of a program.
pub(super) fn are_listed(lead: &str, text: &str) -> bool {
    let (Some(last), Some(names)) = (sentences(lead).last().copied(), names(text)) else { return false };
    // Names that no program has.
    let is_surely_one =
        |word: &&str| word.ends_with("-dev") || word.ends_with("-devel") || word.starts_with("python3-");
    let wants = says(last, &["install", "need", "requires"]) || calls_packages(last);
    wants && names.iter().any(is_surely_one) && !words().known.contains(names[0])
}

fn calls_packages(sentence: &str) -> bool {
    says(sentence, &["packages", "dependencies"])
}

fn says(sentence: &str, wanted: &[&str]) -> bool {
    sentence
        .split_whitespace()
        .any(|word| wanted.contains(&word.trim_matches([',', ':', '.']).to_lowercase().as_str()))
}

/// The words of a text of which each may be a package's name, and at least two are there.
fn names(text: &str) -> Option<Vec<&str>> {
    const LEAST: usize = 2;
    let is_name = |word: &&str| {
        word.len() > 1
            && word.starts_with(|first: char| first.is_ascii_lowercase())
            && word
                .chars()
                .all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || "+.-".contains(sign))
    };
    let names: Vec<&str> = text.split_whitespace().collect();
    (names.len() >= LEAST && names.iter().all(is_name)).then_some(names)
}

/// `"Name_a[part]>=1"` → `name-a`.
fn name(word: &str) -> String {
    let word = word.trim_matches(['"', '\'']);
    let scope = usize::from(word.starts_with('@'));
    let end = word[scope..].find(['=', '>', '<', '[', '@', '~', ';']).map_or(word.len(), |at| at + scope);
    word[..end].to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_without_versions_and_parts() {
        for (command, packages, has_extras) in [
            ("pip install -U 'Flask[async]>=2'", &["flask"][..], true),
            ("python3 -m pip install a_b c==1", &["a-b", "c"], false),
            ("npm install -g @scope/tool@latest", &["@scope/tool"], false),
            ("sudo apt-get install -y git curl # both", &["git", "curl"], false),
        ] {
            let found = Getting::of(command).unwrap();
            assert_eq!(
                (found.packages.as_slice(), found.has_extras),
                (&packages.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()[..], has_extras)
            );
        }
        assert!(Getting::of("make install").is_none());
    }

    #[test]
    fn a_list_of_package_names_for_this_system_is_a_call_that_gets_them() {
        let machine = Machine { id: "debian".to_owned(), kernel: "linux".to_owned(), ..Machine::default() };
        let lead = "On Debian based distributions, the needed packages are";
        assert_eq!(
            listed(lead, "libev-dev uthash-dev\n", &machine).as_deref(),
            Some("sudo apt-get install libev-dev uthash-dev")
        );
        assert_eq!(
            listed("On Linux you need to install:", "par2 python3-pip", &machine).as_deref(),
            Some("sudo apt-get install par2 python3-pip")
        );
        assert!(are_listed("You also need to install these:", "libffi-dev libssl-dev"));
        assert!(!are_listed("To install, run:", "make install"));
        assert!(!are_listed("You need to install it:", "pip install python3-foo"));
        for (lead, text) in [
            ("On Fedora, the needed packages are", "libev-devel uthash-devel"),
            ("The needed packages are", "libev-dev uthash-dev"),
            (lead, "libev-dev (optional)"),
            (lead, "make"),
        ] {
            assert_eq!(listed(lead, text, &machine), None, "{lead} {text}");
        }
    }
}
