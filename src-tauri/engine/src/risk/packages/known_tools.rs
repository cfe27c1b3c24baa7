//! Programs that people fetch by their names and run every day: what they are is known to the whole world. Anybody can
//! publish a package of any other name.

/// Of npm.
#[rustfmt::skip]
const NPM: &[&str] = &[
    "ajv", "ajv-cli", "all-contributors", "ava", "autocannon", "babel", "biome", "browserslist", "c8", "cap", "capacitor",
    "changelogen", "changeset", "chokidar-cli", "clinic", "codecov", "commitizen", "commitlint", "concurrently", "contentful",
    "conventional-changelog", "cowsay", "cpx", "create-react-app", "cross-env", "cspell", "cypress", "cz", "degit", "depcheck",
    "dependency-cruiser", "depcruise", "docusaurus", "dotenv", "dotenv-cli", "drizzle-kit", "dtslint", "electron", "electron-builder",
    "electron-forge", "eleventy", "esbuild", "eslint", "expo", "expo-cli", "express-generator", "firebase-tools", "flow", "forever",
    "gatsby", "gitmoji", "graphql-codegen", "gulp", "hardhat", "html-validate", "http-server", "husky", "hygen", "ionic", "is-ci",
    "jasmine", "jest", "jscodeshift", "json-server", "json2ts", "jsdoc", "karma", "kill-port", "knex", "knip", "lerna", "license-checker",
    "lighthouse", "lint-staged", "live-server", "localtunnel", "lockfile-lint", "lzma", "madge", "markdown-link-check", "markdownlint",
    "markdownlint-cli", "markdownlint-cli2", "marked", "mermaid", "mocha", "msw", "nest", "netlify", "netlify-cli", "newman", "next",
    "ng", "nodemon", "npm-check", "npm-check-updates", "ncu", "npm-run-all", "npkill", "nuxi", "nuxt", "nx", "nyc", "openapi-generator-cli",
    "openapi-typescript", "oxlint", "parcel", "patch-package", "playwright", "pm2", "pnpm", "postcss", "prettier", "prisma", "publint",
    "puppeteer", "purgecss", "quicktype", "react-native", "react-scripts", "redocly", "release-it", "remix", "rimraf", "rollup", "sass",
    "semantic-release", "sequelize", "sequelize-cli", "serve", "serverless", "shadcn", "shadcn-ui", "sirv", "size-limit", "snyk",
    "solhint", "sort-package-json", "source-map-explorer", "spectral", "standard", "storybook", "stylelint", "supabase", "surge", "sv",
    "svelte-check", "svelte-kit", "svgo", "swagger-cli", "tailwind", "tailwindcss", "tap", "terser", "ts-node", "ts-prune", "tsc", "tsd",
    "tsup", "tsx", "turbo", "typedoc", "typeorm", "typescript", "unimported", "vercel",
    "verdaccio", "vite", "vite-node", "vitepress", "vitest", "vsce", "vue", "vue-tsc", "wait-on", "wdio", "web-ext", "webpack",
    "webpack-bundle-analyzer", "webpack-cli", "wrangler", "xo", "yalc", "yarn", "yo", "zx",
];
/// Scopes whose packages one publisher makes.
#[rustfmt::skip]
const SCOPES: &[&str] = &[
    "@angular", "@antfu", "@apidevtools", "@astrojs", "@babel", "@biomejs", "@capacitor", "@changesets", "@commitlint", "@cyclonedx",
    "@docusaurus", "@electron-forge", "@eslint", "@expo", "@fastify", "@google", "@graphql-codegen", "@ionic", "@lhci", "@mermaid-js",
    "@microsoft", "@modelcontextprotocol", "@nestjs", "@next", "@nrwl", "@nuxt", "@nx", "@openapitools", "@playwright", "@prisma",
    "@quasar", "@react-native-community", "@redocly", "@remix-run", "@rushstack", "@sanity", "@sentry", "@shopify", "@storybook",
    "@stoplight", "@svgr", "@swc", "@tailwindcss", "@tauri-apps", "@tsconfig", "@types", "@typescript", "@vercel", "@vitejs", "@vscode",
    "@vue", "@wdio", "@wordpress", "@11ty", "@arethetypeswrong", "@aws-amplify",
];
/// Of PyPI.
#[rustfmt::skip]
const PYPI: &[&str] = &[
    "ansible", "ansible-lint", "autoflake", "autopep8", "awscli", "bandit", "black", "blacken-docs", "build", "bump2version", "bumpver",
    "check-jsonschema", "codespell", "commitizen", "cookiecutter", "copier", "cowsay", "cruft", "csvkit", "datamodel-codegen",
    "datasette", "djlint", "doc8", "docformatter", "flake8", "flit", "gallery-dl", "hatch", "httpie", "huggingface-cli", "ipython", "isort",
    "jupyter", "jupyterlab", "jupytext", "llm", "markitdown", "maturin", "mkdocs", "mypy", "nbstripout", "nox", "notebook", "pdm",
    "pip-audit", "pip-tools", "pipdeptree", "pipenv", "poetry", "pre-commit", "pycodestyle", "pycowsay", "pydocstyle", "pyinstaller",
    "pylint", "pyright", "pytest", "pyupgrade", "reuse", "ruff", "safety", "sqlfluff", "streamlit", "tox", "towncrier", "twine", "ty",
    "uv", "virtualenv", "vulture", "yamllint", "yt-dlp",
];

/// `name`: as it is asked for, with a version or not: `@scope/name@1.2`, `create-vite@latest`, `ruff==0.5`.
pub(super) fn is_known(name: &str) -> bool {
    let (scope, rest) = match name.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        Some((scope, rest)) => (Some(scope), rest),
        None => (None, name),
    };
    let bare = rest.split(['@', '=', '[', '<', '>', '~']).next().unwrap_or(rest);
    match scope {
        Some(scope) => SCOPES.iter().any(|own| own.strip_prefix('@') == Some(scope)),
        None => {
            // `npm create x`: what sets a project up; of these anybody can have one, but these are those of the above.
            let made = bare.strip_prefix("create-").map(|made| made.trim_end_matches("-app"));
            let made = made.is_some_and(|made| {
                NPM.contains(&made)
                    || matches!(
                        made,
                        "svelte"
                            | "astro"
                            | "t3"
                            | "solid"
                            | "preact"
                            | "qwik"
                            | "tauri"
                            | "react"
                            | "react-router"
                            | "payload"
                            | "strapi"
                            | "wp"
                    )
            });
            made || NPM.contains(&bare) || PYPI.contains(&bare) || crate::knowledge::program(bare).is_some()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::check;
    use super::*;
    use crate::protocol::Risk;

    #[test]
    fn a_name_is_known_with_a_version_or_not() {
        for name in
            ["vite", "create-vite@latest", "@angular/cli@18", "ruff==0.5", "ruff@0.5", "create-next-app"]
        {
            assert!(is_known(name), "{name}");
        }
        for name in ["crypto-fix-helper@latest", "@angularr/cli", "create-wallet", "", "@x"] {
            assert!(!is_known(name), "{name}");
        }
    }

    #[test]
    fn a_program_that_nobody_knows_is_not_fetched_unasked() {
        check(
            Risk::Dangerous,
            "npx -y crypto-fix-helper@latest --auto
            npx crypto-fix-helper@latest
            npx --yes wallet-setup
            pnpm dlx crypto-wallet-setup-helper
            bunx fix-my-repo
            uvx repo-doctor-pro
            pipx run unknown-tool",
        );
        check(
            Risk::Caution,
            "npx -y create-vite@latest web
            npx our-own-cli build
            npx --no-install unknown-tool
            pnpm dlx shadcn@latest add button
            uvx ruff check .
            pipx run black .",
        );
    }
}
