//! Names that tell what may be lost: what programs leave behind or make again. Knows nothing of where it lies.

use std::path::Path;

/// Whether a folder is one that a build or a package manager makes again by itself.
pub(crate) fn is_build_product(path: &Path) -> bool {
    const PRODUCTS: [&str; 57] = [
        "node_modules",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "target",
        "dist",
        "build",
        "out",
        "__pycache__",
        ".venv",
        "venv",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".tox",
        ".next",
        ".nuxt",
        ".cache",
        ".parcel-cache",
        ".turbo",
        ".gradle",
        "coverage",
        "htmlcov",
        ".nyc_output",
        ".svelte-kit",
        ".output",
        "_build",
        "cmake-build-debug",
        "cmake-build-release",
        "bazel-out",
        ".eggs",
        ".ipynb_checkpoints",
        ".nox",
        ".hypothesis",
        ".vite",
        ".angular",
        ".expo",
        ".dart_tool",
        ".stack-work",
        "elm-stuff",
        "DerivedData",
        "CMakeFiles",
        "CMakeCache.txt",
        ".sass-cache",
        "_site",
        "storybook-static",
        ".terraform",
        "Pods",
        "zig-cache",
        ".zig-cache",
        "zig-out",
        "__MACOSX",
        "lcov-report",
        "playwright-report",
        ".docusaurus",
        ".astro",
        ".aws-sam",
    ];
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    PRODUCTS.contains(&name.as_ref()) || name.ends_with(".egg-info")
}

/// Whether a name, or a pattern of names, is such as programs leave behind or make again.
pub(crate) fn is_leftover(pattern: &str) -> bool {
    const LEFTOVERS: [&str; 36] = [
        "*.pyc",
        "*.pyo",
        "*.py[co]",
        "*.o",
        "*.obj",
        "*.lo",
        "*.class",
        "*.tmp",
        "*.temp",
        "*.swp",
        "*.swo",
        "*.swn",
        ".*.swp",
        ".*.swo",
        "*~",
        ".*~",
        "#*#",
        "*.orig",
        "*.rej",
        "*.gcda",
        "*.gcno",
        "*.gcov",
        "*.aux",
        "*.toc",
        "*.part",
        "*.crdownload",
        "*.stackdump",
        "*.tsbuildinfo",
        "*.dSYM",
        "*.egg-info",
        ".DS_Store",
        "._*",
        "Thumbs.db",
        "desktop.ini",
        "core",
        "core.*",
    ];
    LEFTOVERS.contains(&pattern) || is_build_product(Path::new(pattern))
}

/// The folder that a maker of pages writes anew each time it runs, where it is not one that every build has.
pub(crate) fn output_of(program: &str) -> Option<&'static str> {
    match program {
        "mkdocs" => Some("site"),
        "hugo" | "zola" => Some("public"),
        "doxygen" => Some("html"),
        _ => None,
    }
}
