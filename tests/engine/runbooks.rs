//! Real pages and scripts → plans, read by the real reader. The reader runs in this process here; the program itself
//! only ever asks the worker.

use planwright_engine::plan::page::Machine;
use planwright_engine::plan::runbook::{self, ReadShell};
use planwright_engine::plan::{export, from_json};
use planwright_engine::protocol::{EngineError, ErrorCode, Mode, OnFailure, PageRole, Plan, StepKind};
use planwright_shell::Facts;

struct InProcess;

impl ReadShell for InProcess {
    async fn read_script(&self, text: &str) -> Facts {
        planwright_shell::read(text, 5 * 1024 * 1024)
    }
}

async fn import(name: &str) -> Result<Plan, EngineError> {
    let path = format!("{}/support/fixtures/runbooks/{name}", env!("CARGO_MANIFEST_DIR"));
    runbook::import(&std::fs::read(path).unwrap(), name, &Machine::default(), &InProcess).await
}

fn titles(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.title.as_str()).collect()
}

fn commands(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.action.command()).collect()
}

#[tokio::test]
async fn a_python_project() {
    let plan = import("python-project.md").await.unwrap();
    assert_eq!(plan.title, "Inventory");
    assert_eq!(plan.intent, "A small service that counts things. Needs Python 3.11 or newer.");
    assert_eq!(
        titles(&plan),
        [
            "Clone inventory",
            "Go to inventory",
            "Make the Python environment .venv",
            "Activate .venv",
            "Upgrade pip",
            "Install what requirements.txt lists",
            "Write settings.toml",
            "Run the tests",
        ]
    );
    assert_eq!(
        plan.steps[2].why.as_deref(),
        Some("Keeps the packages of this project apart from the system's.")
    );
    assert_eq!(plan.steps[7].why, None, "what stands under another heading is not its reason");
    assert_eq!(plan.steps[4].kind, StepKind::Install);
    assert_eq!(plan.steps[7].kind, StepKind::Test);
    assert!(plan.steps.windows(2).all(|pair| pair[1].depends_on == [pair[0].id.clone()]));
}

#[tokio::test]
async fn a_node_page_with_numbered_instructions() {
    let plan = import("node-app.md").await.unwrap();
    assert_eq!(titles(&plan), ["Install the packages", "Set the address of the database", "Build and start"]);
    assert_eq!(plan.steps[2].action.command(), "npm run build && npm start -- --port 3000");
}

#[tokio::test]
async fn a_terminal_transcript() {
    let plan = import("transcript.md").await.unwrap();
    assert_eq!(
        commands(&plan),
        [
            "psql --version",
            "mkdir -p backup",
            "pg_dump shop \\\n  --format=custom \\\n  --file=backup/shop.dump",
            "cat > backup/README <<'EOF'\nMade before the upgrade.\n$ this line is text\nEOF",
            "ls -l backup",
            "apt-get update",
            "apt-get install -y postgresql-16",
        ]
    );
    assert_eq!(plan.steps[0].title, "Look at the version");
    assert_eq!(plan.steps[0].expected.as_deref(), Some("psql (PostgreSQL) 15.5"));
    assert!(plan.steps[4].expected.as_deref().is_some_and(|text| text.starts_with("total 8\n-rw")));
    assert!(plan.steps[5].why.as_deref().is_some_and(|why| why.contains("superuser")));
}

#[tokio::test]
async fn a_script_with_functions_loops_and_here_documents() {
    let plan = import("deploy.sh").await.unwrap();
    assert_eq!(plan.title, "Deploy");
    let commands = commands(&plan);
    assert_eq!(commands.len(), 7, "{commands:#?}");
    assert!(plan.steps[0].why.as_deref().is_some_and(|why| why.contains("Puts a release in place")));
    assert_eq!(commands[1], "VERSION=1.2.0");
    assert!(commands[0].starts_with("set -euo pipefail\n"), "{}", commands[0]);
    assert!(commands[2].starts_with("log() {") && commands[2].ends_with('}'));
    assert!(commands[3].ends_with("# not a comment of the script\nEOF"), "{}", commands[3]);
    assert_eq!(plan.steps[3].title, "Write the unit file");
    assert!(commands[4].starts_with("for old in") && commands[4].ends_with("done"));
    assert_eq!(plan.steps[5].why.as_deref(), Some("Switch over"));
    assert!(commands[6].ends_with("fi"), "the exit at the end is no step");
}

#[tokio::test]
async fn fences_in_here_documents_and_quotes() {
    let plan = import("rust-tool.md").await.unwrap();
    assert_eq!(plan.title, "Rust tool");
    assert_eq!(
        commands(&plan),
        [
            "cargo build --locked",
            "cargo test --locked",
            "cat > notes.md <<'EOF'\n```sh\nnot a step\n```\nEOF",
            "./target/debug/tool notes.md | sort | uniq -c",
        ]
    );
    let plan = import("c-project.md").await.unwrap();
    assert_eq!(
        commands(&plan)[2..6],
        ["mkdir -p build", "cd build", "cmake -DCMAKE_BUILD_TYPE=Release ..", "make -j\"$(nproc)\""]
    );
    assert_eq!(plan.steps[6].title, "Check");
}

#[tokio::test]
async fn a_page_that_says_more_about_its_steps() {
    let plan = import("annotated.md").await.unwrap();
    assert_eq!((plan.mode, plan.on_failure), (Mode::Agentic, OnFailure::Continue));
    let compress = &plan.steps[0];
    assert_eq!((compress.id.0.as_str(), compress.title.as_str()), ("compress", "Compress"));
    assert_eq!(compress.action.command(), "gzip --keep app.log\ntest -s app.log.gz");
    assert_eq!(compress.verify.as_deref(), Some("test -f app.log.gz"));
    assert_eq!((compress.ok_exit.as_slice(), compress.estimate_seconds), (&[0, 2][..], Some(5)));
    assert_eq!(plan.steps[1].depends_on, []);
    assert_eq!(plan.steps[1].expected.as_deref(), Some("0 app.log"));
}

#[tokio::test]
async fn other_encodings_and_line_ends() {
    let plan = import("latin1.md").await.unwrap();
    assert_eq!(plan.title, "Préparation");
    assert_eq!(commands(&plan), ["mkdir -p données", "echo \"déjà là\" > données/note.txt"]);
    assert!(plan.intent.contains("Windows-1252"), "{}", plan.intent);
    let plan = import("windows.md").await.unwrap();
    assert_eq!(commands(&plan), ["cat > a.txt <<EOF\nline\nEOF", "wc -l a.txt"]);
}

#[tokio::test]
async fn pages_that_are_refused() {
    for (name, code, says) in [("no-commands.md", ErrorCode::NoCommands, "```sh")] {
        let error = import(name).await.unwrap_err();
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(error.message.contains(says), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_block_that_cannot_be_read_is_listed_and_an_open_fence_ends_with_the_page() {
    let plan = import("does-not-parse.md").await.unwrap();
    assert_eq!(commands(&plan), ["echo fine"]);
    let left_out = &plan.page.as_ref().unwrap().left_out;
    assert_eq!(left_out.iter().map(|one| one.role).collect::<Vec<_>>(), [PageRole::Unreadable]);
    assert!(left_out[0].why.contains("block 2"), "{}", left_out[0].why);
    assert_eq!(commands(&import("unclosed.md").await.unwrap()), ["echo one"]);
}

#[tokio::test]
async fn every_page_survives_export_and_import() {
    for name in [
        "python-project.md",
        "node-app.md",
        "transcript.md",
        "deploy.sh",
        "rust-tool.md",
        "c-project.md",
        "annotated.md",
        "latin1.md",
        "windows.md",
    ] {
        let plan = import(name).await.unwrap();
        let page = export::to_markdown(&plan);
        let back = runbook::import(page.as_bytes(), "x.md", &Machine::default(), &InProcess).await.unwrap();
        assert_eq!(back.steps, plan.steps, "{name}\n{page}");
        assert_eq!((&back.title, &back.intent, back.mode), (&plan.title, &plan.intent, plan.mode), "{name}");
        let json = export::to_json(&plan).unwrap();
        assert_eq!(from_json(&json, "x.json").unwrap().steps, plan.steps, "{name}");
    }
}
