//! Settings that tools of a project read as they start, and that nobody looks at.

/// What is alarming in `lower`, a text in small letters that is written to `file`.
pub(super) fn alarm(file: &str, lower: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if is_run_by_a_tool(file) && has(&RUNS_OTHERS) {
        return Some("writes settings that run other programs when a tool of the project reads them");
    }
    if file == "tasks.json" && lower.replace(char::is_whitespace, "").contains("\"runon\":\"folderopen\"") {
        return Some("writes a task that runs whenever the folder is opened");
    }
    if has(&UNASKED) {
        return Some("writes settings that let an agent act without asking");
    }
    if file == "conftest.py" && has(&["os._exit("]) {
        return Some("writes a file that makes tests end before they fail");
    }
    if file == ".npmrc" && has(&["_authtoken"]) && has(&["registry=http:"]) {
        return Some("writes a setting that sends a key over an open connection");
    }
    if file == "package.json" && lower.lines().any(hides_what_it_installs) {
        return Some("writes a package whose installation fetches or hides what it runs");
    }
    None
}

/// How programs of this kind are told, in their settings, to run commands and change files unasked.
const UNASKED: [&str; 9] = [
    "bypasspermissions",
    "\"bash(*)\"",
    "tools.autoapprove",
    "skipdangerousmodepermissionprompt",
    "approval_policy = \"never\"",
    "sandbox_mode = \"danger-full-access\"",
    "\"yolo\": true",
    "goose_mode: auto",
    "alwaysallowexecute\": true",
];

fn hides_what_it_installs(line: &str) -> bool {
    const HOOKS: [&str; 3] = ["\"postinstall\"", "\"preinstall\"", "\"install\""];
    const HIDES: [&str; 10] =
        ["curl ", "wget ", "base64", "node -e", "python -c", "http://", "https://", "| sh", "| bash", "eval"];
    HOOKS.iter().any(|hook| line.contains(hook)) && HIDES.iter().any(|sign| line.contains(sign))
}

fn is_run_by_a_tool(file: &str) -> bool {
    const STEMS: [&str; 14] = [
        "eslint.config",
        ".eslintrc",
        "vite.config",
        "vitest.config",
        "jest.config",
        "webpack.config",
        "rollup.config",
        "babel.config",
        "next.config",
        "tailwind.config",
        "postcss.config",
        "prettier.config",
        "gulpfile",
        "gruntfile",
    ];
    STEMS.iter().any(|stem| file.starts_with(stem))
        || [
            "conftest.py",
            ".pre-commit-config.yaml",
            "build.gradle",
            "build.gradle.kts",
            "build.sbt",
            "build.rs",
            ".envrc",
        ]
        .contains(&file)
}

const RUNS_OTHERS: [&str; 15] = [
    "child_process",
    "execsync",
    "spawnsync",
    "os.system",
    "subprocess",
    "shutil.rmtree",
    "rmsync",
    "remove_dir_all",
    "deletedir()",
    "runtime.getruntime",
    "\".execute()",
    "entry: git push",
    "entry: rm ",
    "rm -rf",
    " delete ",
];
