//! How what a program does can be taken back, in the words of its table: by the option that it is given where that does something
//! of its own, with the names that it is given, and for a branch or a tag with the commit that it stands on.

use std::path::Path;

use super::args::Parsed;
use super::judge::Judge;
use crate::protocol::{Risk, UndoOutlook};

impl Judge<'_> {
    pub(super) fn outlook(&mut self, parsed: &Parsed<'_, '_>) {
        let entry = parsed.entry;
        let option = parsed.flags.iter().find(|given| given.flag.undo.is_some());
        let undo = option.and_then(|given| given.flag.undo.as_ref()).or(entry.undo.as_ref());
        let outlook = match (undo, &entry.no_undo) {
            (Some(how), _) => {
                let how = self.filled_in(how, parsed);
                if how.contains("not brought back") || how.contains("lost") {
                    UndoOutlook::Partly { how }
                } else {
                    UndoOutlook::ByHand { how }
                }
            }
            (None, Some(why)) => UndoOutlook::Cannot { why: why.clone() },
            (None, None) => UndoOutlook::Cannot {
                why: format!("nothing is known that takes back what {}", entry.summary),
            },
        };
        // What only reads has nothing to take back, even where what it reads is doubtful.
        if entry.risk > Risk::Safe || undo.is_some() {
            self.found.outlook(outlook);
        }
    }

    /// `{name}`: the first word, and where `{commit}` stands beside it, each word and what it stands on.
    fn filled_in(&self, how: &str, parsed: &Parsed<'_, '_>) -> String {
        if !how.contains("{name}") {
            return how.to_owned();
        }
        let kind = if how.contains(" tag ") { "tags" } else { "heads" };
        let all = if how.contains("{commit}") && !how.contains("-f") { usize::MAX } else { 1 };
        let names: Vec<Option<&str>> = parsed.words.iter().take(all).map(|word| word.known()).collect();
        let told = names.iter().map(|name| match name {
            Some(name) => {
                let commit = self.commit(kind, name);
                let commit = commit.as_deref().unwrap_or("with the commit that git names as it deletes it");
                how.replace("{name}", name).replace("{commit}", commit)
            }
            None => {
                how.replace("{name}", "the same name").replace("{commit}", "with the commit that git names")
            }
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// What a branch or a tag of the repository at hand stands on, in short.
    fn commit(&self, kind: &str, name: &str) -> Option<String> {
        let [(folder, _)] = self.folders.as_slice() else { return None };
        let folder = Some(folder).filter(|_| !self.lost && !self.elsewhere && !name.contains(".."))?;
        let paths = self.workspace.paths;
        let git = folder.ancestors().map(|above| above.join(".git")).find(|git| paths.is_dir(git))?;
        let reference = Path::new("refs").join(kind).join(name);
        let loose = paths.text(&git.join(&reference));
        let commit = loose.or_else(|| {
            let packed = paths.text(&git.join("packed-refs"))?;
            let wanted = reference.to_str()?;
            let line =
                packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name == wanted))?;
            Some(line.split(' ').next()?.to_owned())
        })?;
        let commit = commit.trim();
        let whole = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        commit.get(..12).filter(|_| whole).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::fixture::{TestPaths, read, workspace};
    use super::super::{DiskPaths, Workspace, assess};
    use crate::protocol::UndoOutlook;

    fn by_hand(command: &str, workspace: &Workspace<'_>) -> String {
        match assess(command, &read(command), workspace).undo {
            UndoOutlook::ByHand { how } => how,
            other => panic!("{command}: {other:?}"),
        }
    }

    #[test]
    fn a_deleted_branch_is_made_again_and_a_new_one_deleted() {
        let (paths, none, functions) = (TestPaths::default(), BTreeMap::new(), BTreeMap::new());
        let place = workspace(&paths, &none, &functions);
        assert_eq!(by_hand("git branch topic", &place), "git branch -d topic");
        assert_eq!(by_hand("git branch topic origin/main", &place), "git branch -d topic");
        assert_eq!(by_hand("git tag v1", &place), "git tag -d v1");
        assert_eq!(by_hand("git branch -m old new", &place), "git branch -m back to the earlier name");
        let unknown = by_hand("git branch -D a b", &place);
        assert!(
            unknown.starts_with("git branch a with the commit") && unknown.contains("; git branch b "),
            "{unknown}"
        );
        assert!(by_hand("git branch -D \"$B\"", &place).contains("the same name"));
    }

    #[test]
    fn a_deleted_branch_is_made_again_from_the_commit_it_stood_on() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir_all(git.join("refs/heads/a")).unwrap();
        std::fs::create_dir_all(folder.path().join("sub")).unwrap();
        let (loose, packed) = ("1a".repeat(20), "2b".repeat(20));
        std::fs::write(git.join("refs/heads/a/topic"), format!("{loose}\n")).unwrap();
        std::fs::write(git.join("refs/heads/odd"), "ref: refs/heads/x\n").unwrap();
        std::fs::write(
            git.join("packed-refs"),
            format!("# pack-refs\n{packed} refs/heads/old\n{packed} refs/tags/v1\n"),
        )
        .unwrap();
        let (none, functions) = (BTreeMap::new(), BTreeMap::new());
        let place = Workspace {
            root: folder.path().to_owned(),
            cwd: folder.path().join("sub"),
            home: "/home/u".into(),
            user: "u".into(),
            environment: &none,
            functions: &functions,
            paths: &DiskPaths,
        };
        assert_eq!(by_hand("git branch -D a/topic", &place), "git branch a/topic 1a1a1a1a1a1a");
        assert_eq!(by_hand("git branch -d old", &place), "git branch old 2b2b2b2b2b2b");
        assert_eq!(by_hand("git tag -d v1", &place), "git tag v1 2b2b2b2b2b2b");
        assert!(by_hand("git branch -D odd", &place).contains("with the commit that git names"));
    }
}
