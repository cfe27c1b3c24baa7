use std::sync::Arc;

use super::*;
use crate::plan::runbook::{ReadShell, import};
use crate::protocol::ErrorCode;

/// Reads in this process; the pages here are our own.
struct Here;

impl ReadShell for Here {
    async fn read_script(&self, text: &str) -> Facts {
        planwright_shell::read(text, text.len())
    }
}

fn machine(programs: &[&str]) -> Machine {
    Machine {
        kernel: "linux".into(),
        programs: programs.iter().map(|&name| name.to_owned()).collect(),
        ..Machine::default()
    }
}

/// What is found on a page, each with its line.
async fn found(page: &str, programs: &[&str], files: &[&str]) -> Vec<(PageFindingKind, u32, String)> {
    let mut plan = import(page.as_bytes(), "page.md", &machine(programs), &Here).await.unwrap();
    add_findings(&mut plan, page.as_bytes(), &|path| files.contains(&path));
    let findings = plan.page.map(|page| Arc::unwrap_or_clone(page).findings).unwrap_or_default();
    findings.into_iter().map(|one| (one.kind, one.line, one.text)).collect()
}

fn kinds(found: &[(PageFindingKind, u32, String)]) -> Vec<(PageFindingKind, u32)> {
    found.iter().map(|(kind, line, _)| (*kind, *line)).collect()
}

const ALL: [&str; 8] = ["npm", "make", "pip", "bash", "curl", "git", "python3", "frobnicate"];

#[tokio::test]
async fn a_page_that_runs_as_it_stands_has_nothing() {
    let page = "# Build\n\nRun:\n\n```sh\ngit clone https://example.org/x\ncd x\nnpm install\nmake\n```\n";
    assert_eq!(found(page, &ALL, &[]).await, []);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_with_its_line() {
    let page = "# Build\n\nRun:\n\n```sh\nmake\n```\n\nThen:\n\n```sh\nninja -C out\n```\n";
    let found = found(page, &["bash", "git"], &["Makefile"]).await;
    assert_eq!(
        kinds(&found),
        [(PageFindingKind::MissingProgram, 6)],
        "what make may have brought is not told: {found:?}"
    );
    assert!(found[0].2.starts_with("make is not installed"));
}

#[tokio::test]
async fn what_a_step_before_may_install_is_not_told() {
    let page = "# Use\n\n```sh\npip install httpie\nhttp example.org\n```\n";
    assert_eq!(found(page, &ALL, &[]).await, []);
}

#[tokio::test]
async fn files_that_are_needed_and_not_there() {
    for (command, file) in [
        ("npm ci", "package.json"),
        ("pip install -r requirements.txt", "requirements.txt"),
        ("./configure --prefix=/usr", "./configure"),
        ("python3 setup.py build", "setup.py"),
        ("bash scripts/setup.sh", "scripts/setup.sh"),
        ("make", "Makefile"),
    ] {
        let page = format!("# Build\n\nRun:\n\n```sh\n{command}\n```\n");
        let missing = found(&page, &ALL, &[]).await;
        assert_eq!(kinds(&missing), [(PageFindingKind::MissingFile, 6)], "{command}: {missing:?}");
        assert!(missing[0].2.contains(file), "{command}: {missing:?}");
        assert_eq!(found(&page, &ALL, &[file.trim_start_matches("./")]).await, [], "{command}");
    }
    let page = "# Build\n\n```sh\nnpm install left-pad\nnpm test\n```\n";
    assert_eq!(found(page, &ALL, &[]).await, [], "it makes the file itself");
}

#[tokio::test]
async fn a_blank_that_nobody_declares() {
    let page = "# Clone\n\n```sh\ngit clone <your-fork>\n```\n";
    let blank = found(page, &ALL, &[]).await;
    assert_eq!(kinds(&blank), [(PageFindingKind::UndeclaredInput, 4)], "{blank:?}");
    let declared = format!("---\ninputs:\n  - name: YOUR_FORK\n---\n{page}");
    assert_eq!(found(&declared, &ALL, &[]).await, []);
}

#[tokio::test]
async fn a_block_that_cannot_be_read() {
    let page = "# Two\n\nRun:\n\n```sh\nmake\n```\n\nThen:\n\n```sh\nif true; then\n```\n";
    let found = found(page, &ALL, &["Makefile"]).await;
    assert_eq!(kinds(&found), [(PageFindingKind::Unreadable, 12)], "{found:?}");
}

#[tokio::test]
async fn without_commands_there_is_no_plan_to_check() {
    let error = import(b"# Words\n\nNothing to do.\n", "page.md", &machine(&ALL), &Here).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NoCommands);
}
