//! Whose repositories people install from every day: what one of these publishes is read by the whole world. Anybody can
//! have a repository of any name.

/// Of the owner of an address, lowercase.
#[rustfmt::skip]
const KNOWN: [&str; 72] = [
    "ansible", "apache", "apple", "astral-sh", "aws", "awslabs", "azure", "angular", "bioconda", "bokeh", "bytecodealliance",
    "conda-forge", "dask", "django", "dmlc", "docker", "electron", "elixir-lang", "encode", "espressif", "eslint",
    "facebook", "facebookresearch", "fastapi", "gnome", "golang", "google", "google-research", "googleapis", "grpc",
    "hashicorp", "helix-editor", "home-assistant", "huggingface", "ipython", "jupyter", "jupyterlab", "kde", "keras-team",
    "kubernetes", "langchain-ai", "lightning-ai", "matplotlib", "microsoft", "mozilla", "neovim", "nixos", "nodejs", "numpy",
    "nvidia", "open-mmlab", "openai", "pallets", "pandas-dev", "pre-commit", "prettier", "psf", "pycqa", "pydata", "pypa",
    "pytest-dev", "python", "python-poetry", "pytorch", "rust-lang", "rust-lang-nursery", "scikit-learn", "scipy",
    "sphinx-doc", "tensorflow", "vercel", "vuejs",
];

/// `path`: of the address, behind the host.
pub(super) fn is_known(path: &str) -> bool {
    let owner = path.trim_start_matches(['/', ':']).split('/').next().unwrap_or_default();
    KNOWN.contains(&owner.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_counts_and_not_what_looks_like_it() {
        for path in ["/psf/black", "/PyTorch/vision.git@main", ":rust-lang/mdBook.git"] {
            assert!(is_known(path), "{path}");
        }
        for path in ["/psf-x/black", "/evil/psf", "", "/", "/x/psf/black"] {
            assert!(!is_known(path), "{path}");
        }
        assert!(KNOWN.iter().all(|own| *own == own.to_lowercase()));
    }
}
