//! Shared by the behaviour tests: a temporary home, a scripted brain, an engine to drive.

/// The worker program, built when it is not there yet.
pub fn worker() -> std::path::PathBuf {
    static WORKER: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    WORKER
        .get_or_init(|| {
            let test = std::env::current_exe().unwrap_or_default();
            // target/debug/deps/<test> → target/debug/planwright-worker
            let folder = test.ancestors().nth(2).map(std::path::Path::to_path_buf).unwrap_or_default();
            let worker = folder.join("planwright-worker");
            if !worker.exists() {
                let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
                let built =
                    std::process::Command::new(cargo).args(["build", "-p", "planwright-worker"]).status();
                assert!(built.is_ok_and(|status| status.success()), "the worker could not be built");
            }
            worker
        })
        .clone()
}
