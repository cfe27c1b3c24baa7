//! What takes a command back, and what the machine's own manual adds.

use std::collections::BTreeMap;

use super::explain_with;
use super::tests::explained;
use crate::manual::DiskManuals;
use crate::protocol::{MeaningSource, UndoOutlook};
use crate::risk::fixture::{TestPaths, read, workspace};
use crate::risk::{DiskPaths, Workspace, assess};

/// Commands and what takes exactly them back; empty: nothing, or not for certain.
const UNDO: &str = r#"
mv a b | mv b a
mv a sub/ | mv sub/a a
sudo mv /etc/x /etc/y | sudo mv /etc/y /etc/x
mv -f a b |
mv a b c/ |
apt install x y | apt remove x y
sudo dnf install -y 'httpd=2' | sudo dnf remove httpd
sudo pacman -S vim | sudo pacman -R vim
apt install ./x.deb |
npm install -g yarn@1 | npm uninstall -g yarn
systemctl enable x | systemctl disable x
sudo systemctl enable --now x | sudo systemctl disable --now x
systemctl --user start x | systemctl --user stop x
git commit -m a | git reset --soft HEAD~1
git add a 'b c' | git restore --staged a 'b c'
git checkout -b topic | git checkout - && git branch -D topic
git checkout -- a.txt |
git branch -m old new | git branch -m new old
git remote add up https://example.org/x | git remote remove up
git reset --hard HEAD~1 |
git mv a b | git mv b a
docker run -d --name web nginx | docker rm -f web
podman stop web | podman start web
docker-compose -f x.yml up -d | docker-compose -f x.yml down
mkdir a b | rmdir a b
mkdir -p a/b |
rm a |
ls |
ln -s a b | rm b
mount /dev/sdb1 /mnt | umount /mnt
mkdir a && mv b c | mv c b; rmdir a
mkdir a && make |
if true; then mkdir a; fi |
"#;

#[test]
fn explain_tells_the_command_that_takes_this_one_back() {
    let mut wrong = Vec::new();
    for line in UNDO.lines().filter(|line| !line.is_empty()) {
        let (command, undo) = line.rsplit_once(" |").unwrap();
        let told = explained(command).undo_commands.join("; ");
        if told != undo.trim() {
            wrong.push(format!("{command}: {told}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn explain_makes_a_deleted_branch_again_from_the_commit_that_it_stood_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".git/refs/heads")).unwrap();
    std::fs::write(folder.path().join(".git/refs/heads/topic"), format!("{}\n", "1a".repeat(20))).unwrap();
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let place = Workspace {
        root: folder.path().to_owned(),
        cwd: folder.path().to_owned(),
        home: "/home/u".into(),
        user: "u".into(),
        environment: &environment,
        functions: &functions,
        paths: &DiskPaths,
    };
    let command = "git branch -D topic";
    let facts = read(command);
    let manuals = DiskManuals::of(Vec::new(), Vec::new());
    let told = explain_with(command, &facts, assess(command, &facts, &place), &place, &manuals);
    assert_eq!(told.undo_commands, ["git branch topic 1a1a1a1a1a1a"]);
    assert_eq!(told.undo, UndoOutlook::ByHand { how: "git branch topic 1a1a1a1a1a1a".into() });
}

#[test]
fn explain_reads_the_man_page_where_the_tables_know_nothing_and_names_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("man1")).unwrap();
    let page = ".SH NAME\nfrobnicate \\- frobs things\n.SH OPTIONS\n.TP\n\\fB\\-q\\fR, \\fB\\-\\-quick\\fR\n\
        Frobs quickly. Beware.\n.TP\n\\fB\\-o\\fR \\fIFILE\\fR\nWrites to FILE.\n";
    std::fs::write(folder.path().join("man1/frobnicate.1"), page).unwrap();
    let (environment, functions, paths) = (BTreeMap::new(), BTreeMap::new(), TestPaths::default());
    let place = workspace(&paths, &environment, &functions);
    let command = "frobnicate -qo out --other thing";
    let facts = read(command);
    let manuals = DiskManuals::of(vec![folder.path().into()], Vec::new());
    let told = explain_with(command, &facts, assess(command, &facts, &place), &place, &manuals);
    let parts: Vec<(&str, &str, MeaningSource)> =
        told.parts.iter().map(|part| (part.text.as_str(), part.meaning.as_str(), part.source)).collect();
    assert_eq!(
        parts,
        [
            ("frobnicate", "frobs things", MeaningSource::ManPage),
            ("-qo out", "Frobs quickly; Writes to FILE", MeaningSource::ManPage),
            ("--other", "not known here", MeaningSource::Nowhere),
            ("thing", "not known here", MeaningSource::Nowhere),
        ]
    );
    assert_eq!(told.source, "built-in knowledge, this machine's man pages");
}
