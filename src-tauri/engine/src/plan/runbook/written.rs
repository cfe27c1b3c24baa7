//! Contents for a file as the command that writes them: a here-document that bash expands nothing in, so that what is reviewed is
//! what is written.

use crate::plan::page::{FileMode, Machine};

/// Folders that only the superuser writes to.
const OF_ROOT: [&str; 7] = ["/etc/", "/usr/", "/var/", "/opt/", "/lib/", "/boot/", "/srv/"];

/// A file's contents, and the command that puts them there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub path: String,
    pub content: String,
    pub command: String,
}

pub(super) fn write(path: &str, mode: FileMode, content: &str, machine: &Machine) -> Written {
    let end = end_for(content);
    let path = &in_home(path);
    let target = quoted(path);
    let as_root = OF_ROOT.iter().any(|folder| path.starts_with(folder)) && machine.user != "root";
    let folder =
        path.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !matches!(*folder, "" | "~"));
    let sudo = if as_root { "sudo " } else { "" };
    let make = folder.map_or(String::new(), |folder| format!("{sudo}mkdir -p {} && ", quoted(folder)));
    let (append, sign) = match mode {
        FileMode::Write => ("", ">"),
        FileMode::Append => ("-a ", ">>"),
    };
    let into = if as_root {
        format!("sudo tee {append}{target} > /dev/null")
    } else {
        format!("cat {sign} {target}")
    };
    let body = content.trim_end_matches('\n');
    Written {
        path: path.to_owned(),
        content: content.to_owned(),
        command: format!("{make}{into} <<'{end}'\n{body}\n{end}"),
    }
}

/// `$HOME/x` is `~/x`, which stays what it is in quotes.
fn in_home(path: &str) -> String {
    let rest = path.strip_prefix("$HOME/").or_else(|| path.strip_prefix("${HOME}/"));
    rest.map_or_else(|| path.to_owned(), |rest| format!("~/{rest}"))
}

/// A word that no line of the contents is.
pub(in crate::plan) fn end_for(content: &str) -> String {
    let mut end = "EOF".to_owned();
    while content.lines().any(|line| line == end) {
        end.push('_');
    }
    end
}

/// The path as one word of bash; `~` at its beginning stays what it is.
fn quoted(path: &str) -> String {
    let is_plain =
        |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/+@:".contains(letter));
    let (home, rest) = match path.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", path),
    };
    if is_plain(rest) && !rest.starts_with('-') {
        format!("{home}{rest}")
    } else {
        let rest =
            if home.is_empty() && rest.starts_with('-') { format!("./{rest}") } else { rest.to_owned() };
        format!("{home}'{}'", rest.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn contents_of_the_system_are_written_by_the_superuser_and_added_where_the_page_adds() {
        let command = |path: &str, mode| write(path, mode, "a\n", &Machine::default()).command;
        assert_eq!(command("a.txt", FileMode::Write), "cat > a.txt <<'EOF'\na\nEOF");
        assert_eq!(command("~/.bashrc", FileMode::Append), "cat >> ~/.bashrc <<'EOF'\na\nEOF");
        assert_eq!(command("$HOME/.bashrc", FileMode::Append), "cat >> ~/.bashrc <<'EOF'\na\nEOF");
        assert_eq!(command("x/a b", FileMode::Write), "mkdir -p x && cat > 'x/a b' <<'EOF'\na\nEOF");
        assert_eq!(
            command("/etc/x.conf", FileMode::Append),
            "sudo mkdir -p /etc && sudo tee -a /etc/x.conf > /dev/null <<'EOF'\na\nEOF"
        );
        assert!(
            write("a", FileMode::Write, "EOF\n", &Machine::default())
                .command
                .ends_with("<<'EOF_'\nEOF\nEOF_")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn bash_writes_hostile_contents_to_hostile_names_as_they_are(
            name in "[a-z '\"$`;&|*~-]{1,12}",
            content in "[a-zE OF'\"$`\\\\;&|\n(){}!]{0,60}",
        ) {
            let folder = tempfile::tempdir().unwrap();
            let command = write(&name, FileMode::Write, &content, &Machine::default()).command;
            let done = std::process::Command::new("bash").args(["--norc", "-c", &command]).current_dir(folder.path()).env("HOME", folder.path()).status().unwrap();
            prop_assert!(done.success(), "{command}");
            let path = if let Some(rest) = name.strip_prefix("~/") { rest.to_owned() } else { name.clone() };
            let read = std::fs::read_to_string(folder.path().join(path)).unwrap();
            prop_assert_eq!(read, format!("{}\n", content.trim_end_matches('\n')));
        }
    }
}
