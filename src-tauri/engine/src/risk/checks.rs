//! Checks that are switched off instead of passed: workflows told to go on, tests told not to run, hooks told to be silent.

use super::judge::Judge;
use super::targets::{Target, runs_for_others};
use super::words::Arg;
use crate::protocol::Risk;

/// Programs that change a file where it is.
const EDITORS: [&str; 6] = ["sed", "gsed", "perl", "yq", "ruby", "sd"];
/// What makes a workflow green whatever happens, or says more than it should.
const SILENCES: [&str; 13] = [
    "|| true",
    "||true",
    "|| :",
    "continue-on-error",
    "del(",
    "if: false",
    "allow_failure: true",
    "--no-verify",
    "exit 0",
    "curl",
    "wget",
    "base64",
    "printenv",
];
/// Files that say which versions are installed, and from where.
const LOCKS: [&str; 7] = [
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "composer.lock",
];
/// What makes a test not run.
const SKIPS: [&str; 13] = [
    ".skip(",
    "xit(",
    "xdescribe(",
    "xtest(",
    ".todo(",
    "mark.skip",
    "mark.xfail",
    "t.skip(",
    "@disabled",
    "@ignore",
    "#[ignore",
    "unittest.skip",
    "return; //",
];

/// `sed -i 's/npm test/npm test || true/' .github/workflows/ci.yml`
pub(super) fn check(j: &mut Judge<'_>, name: &str, args: &[Arg]) {
    let inside = |arg: &Arg| {
        arg.known().is_some_and(|text| {
            text == "--in-place" || text.starts_with("--in-place=") || text.starts_with("-i") || text == "-pi"
        })
    };
    if !EDITORS.contains(&name) || name != "sd" && !args.iter().any(inside) {
        return;
    }
    // Where the versions that were agreed on come from.
    let lock = args
        .iter()
        .any(|arg| arg.known().is_some_and(|text| LOCKS.contains(&text.rsplit('/').next().unwrap_or(text))));
    let moved = args.iter().find(|arg| {
        let text = j.found.fragment(arg.span);
        lock && (text.contains("registry") || text.contains("http"))
    });
    if let Some(span) = moved.map(|arg| arg.span) {
        j.found.add(Risk::Dangerous, "changes where what is installed comes from", span);
    }
    let lower = |arg: &Arg| j.found.fragment(arg.span).to_lowercase();
    let workflow = args.iter().any(|arg| match j.target(arg) {
        Target::At(paths) => paths.iter().any(|path| runs_for_others(path)),
        Target::Inside { folders, .. } => folders.iter().any(|folder| folder.ends_with(".github/workflows")),
        Target::Unknown => false,
    });
    let silent = args.iter().find(|arg| workflow && SILENCES.iter().any(|sign| lower(arg).contains(sign)));
    // What is taken away again switches a test on.
    let puts_in = |arg: &Arg| {
        let text = lower(arg);
        SKIPS.iter().any(|sign| {
            let escaped = sign.replace('(', "\\(");
            [*sign, escaped.as_str()].iter().any(|sign| {
                text.rsplit(['/', '|', '#', ',']).take(3).any(|part| part.contains(sign)) && {
                    let first = text.split(['/', '|', ',']).nth(1).unwrap_or_default();
                    !first.contains(sign)
                }
            })
        })
    };
    let skipped = args.iter().find(|arg| puts_in(arg));
    if let Some(span) = silent.map(|arg| arg.span) {
        j.found.add(
            Risk::Dangerous,
            "makes the checks of the project say less, or more than they should",
            span,
        );
    } else if let Some(span) = skipped.map(|arg| arg.span) {
        j.found.add(Risk::Dangerous, "switches tests off", span);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn checks_are_not_switched_off_unasked() {
        check(
            Risk::Dangerous,
            r#"
            sed -i 's/run: npm test/run: npm test || true/' .github/workflows/ci.yml
            yq -i 'del(.jobs.security)' .github/workflows/ci.yml
            sed -i 's/describe(/describe.skip(/' src/a.test.ts
            sed -i 's#registry.npmjs.org#npm.fast-mirror.example#' package-lock.json
            grep -rl 'it(' src | xargs sed -i 's/it(/xit(/'"#,
        );
        check(
            Risk::Caution,
            r#"
            sed -i 's/node: 18/node: 20/' .github/workflows/ci.yml
            yq -i '.jobs.test.timeout-minutes = 20' .github/workflows/ci.yml
            sed -i 's/describe.skip(/describe(/' src/a.test.ts
            sed -i 's/foo/bar/' src/a.test.ts"#,
        );
    }
}
