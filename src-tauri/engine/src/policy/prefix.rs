//! Which beginning of a command makes a sensible rule: its program with its sub-command as deep as the tables know it,
//! and never so wide that it could run anything.

use crate::knowledge::{self, Deed, Entry, Role, Rules, Takes, Verbs};

/// Programs and sub-commands after which the next word names a recipe of the project.
const RECIPES: [&[&str]; 19] = [
    &["npm", "run"],
    &["npm", "run-script"],
    &["pnpm", "run"],
    &["yarn", "run"],
    &["bun", "run"],
    &["deno", "task"],
    &["composer", "run-script"],
    &["make"],
    &["gmake"],
    &["ninja"],
    &["just"],
    &["task"],
    &["rake"],
    &["gradle"],
    &["gradlew"],
    &["./gradlew"],
    &["mvn"],
    &["./mvnw"],
    &["ant"],
];

/// Sub-commands that run the program that the next word names.
const RUNNERS: [&[&str]; 25] = [
    &["docker", "run"],
    &["docker", "exec"],
    &["docker", "compose", "run"],
    &["docker", "compose", "exec"],
    &["podman", "run"],
    &["podman", "exec"],
    &["podman", "compose", "run"],
    &["podman", "compose", "exec"],
    &["npm", "exec"],
    &["npm", "x"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "exec"],
    &["yarn", "dlx"],
    &["uv", "run"],
    &["uv", "tool"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["bundle", "exec"],
    &["go", "run"],
    &["kubectl", "exec"],
    &["kubectl", "run"],
    &["kubectl", "debug"],
    &["oc", "exec"],
    &["oc", "rsh"],
];

/// The words of a rule for a command of these words; `None` where only the whole command can be one.
pub(super) fn prefix<'w>(words: &[&'w str]) -> Option<Vec<&'w str>> {
    if let Some(recipe) = recipe(words) {
        return recipe;
    }
    if RUNNERS.iter().any(|runner| words.starts_with(runner)) {
        return None;
    }
    let name = words.first()?;
    // A path may lead to anything of that name.
    let program = knowledge::program(name).filter(|_| !name.contains('/'))?;
    let depth = depth(program, words)?;
    words.get(..depth).map(<[&str]>::to_vec)
}

/// `None` where the words begin with nothing that runs recipes; `Some(None)` where they name none.
fn recipe<'w>(words: &[&'w str]) -> Option<Option<Vec<&'w str>>> {
    let runner = RECIPES.iter().find(|runner| words.starts_with(runner))?;
    let named = words.get(runner.len()).is_some_and(|word| is_plain(word));
    Some(named.then(|| words[..=runner.len()].to_vec()))
}

/// How many words lead to where the tables know no deeper sub-command.
fn depth(program: &Entry, words: &[&str]) -> Option<usize> {
    let (mut entry, mut depth) = (program, 1);
    loop {
        let leaf = entry.sub.is_empty() && entry.verbs.as_ref().is_none_or(Verbs::only_warn);
        if leaf {
            return (!runs_others(entry, depth > 1)
                && !entry.does(Deed::Deletes)
                && !entry.does(Deed::Privilege))
            .then_some(depth);
        }
        // Flags of its own that take no word along: `systemctl --user restart`.
        while let Some(flag) = words.get(depth).filter(|word| word.starts_with('-')) {
            let known = entry.flags.get(flag)?;
            if known.value != Takes::Nothing || known.risk.is_some() || !known.does.is_empty() {
                return None;
            }
            depth += 1;
        }
        let rest = words.get(depth..)?;
        if let Some(sub) = rest.first().and_then(|word| entry.sub_command(word)) {
            (entry, depth) = (sub, depth + 1);
            continue;
        }
        let verbs = entry.verbs.as_ref().filter(|_| !runs_others(entry, true))?;
        let plain = rest.iter().take_while(|word| is_plain(word)).count();
        return verbs.span(&rest[..plain]).map(|span| depth + span).filter(|depth| *depth > 1);
    }
}

/// Whether it runs what its words or flags name, so that no beginning of it says what happens. `named`: a sub-command
/// with a deed of its own, such as `cargo test`, may run what the project holds.
fn runs_others(entry: &Entry, named: bool) -> bool {
    let role_runs = |role: &Role| matches!(role, Role::Code | Role::Command | Role::Script);
    let flag_runs = |value: Takes| match value {
        Takes::Value(role) | Takes::Optional(role) => role_runs(&role),
        Takes::Nothing => false,
    };
    entry.wraps.is_some()
        || entry.rules.is_some_and(runs_text)
        || entry.args.iter().chain(&entry.last).any(role_runs)
        || !named
            && (entry.does(Deed::RunsOther)
                || entry
                    .flags
                    .list
                    .iter()
                    .any(|flag| flag_runs(flag.value) || flag.shell || flag.does.contains(&Deed::RunsOther)))
}

/// Programs whose words are, or may hold, text that is run, or that reach into other machines.
fn runs_text(rules: Rules) -> bool {
    match rules {
        Rules::Find
        | Rules::Each
        | Rules::Sed
        | Rules::Awk
        | Rules::Tar
        | Rules::Shell
        | Rules::Python
        | Rules::Script
        | Rules::Source
        | Rules::Trap
        | Rules::Far
        | Rules::Bucket
        | Rules::Mount
        | Rules::Editor
        | Rules::Sql
        | Rules::Store
        | Rules::ShellText
        | Rules::Alias
        | Rules::Parallel
        | Rules::Make
        | Rules::Connection
        | Rules::Git
        | Rules::GitConfig
        | Rules::Rm
        | Rules::Dd
        | Rules::Disk
        | Rules::Ownership
        | Rules::Upload
        | Rules::KeyFiles
        | Rules::Handshake
        | Rules::Set
        | Rules::Export
        | Rules::Names => true,
        Rules::Cd
        | Rules::Cluster
        | Rules::Container
        | Rules::Kill
        | Rules::Asks
        | Rules::Packages
        | Rules::Test
        | Rules::Move
        | Rules::Groups
        | Rules::Named => false,
    }
}

/// A word such as sub-commands and recipes have; no file, flag or setting.
fn is_plain(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::prefix;

    fn rule(command: &str) -> Option<String> {
        prefix(&command.split(' ').collect::<Vec<_>>()).map(|words| words.join(" "))
    }

    #[test]
    fn a_rule_reaches_as_deep_as_the_sub_command() {
        let cases = [
            ("git fetch origin", "git fetch"),
            ("git push origin main", "git push"),
            ("npm run build -- --watch", "npm run build"),
            ("npm install left", "npm install"),
            ("docker compose up -d", "docker compose up"),
            ("systemctl --user restart syncthing", "systemctl --user restart"),
            ("cargo test --workspace", "cargo test"),
            ("make test", "make test"),
            ("just lint", "just lint"),
            ("deno task dev", "deno task dev"),
            ("kubectl get pods", "kubectl get"),
            ("kubectl rollout restart deploy/web", "kubectl rollout restart"),
            ("gh pr view 12", "gh pr view"),
            ("touch one", "touch"),
            ("mkdir -p build", "mkdir"),
            ("cp a b", "cp"),
        ];
        for (command, wanted) in cases {
            assert_eq!(rule(command).as_deref(), Some(wanted), "{command}");
        }
    }

    #[test]
    fn what_could_run_anything_has_no_wider_rule() {
        for command in [
            "git",
            "git -c core.pager=x fetch",
            "git mystery",
            "git stash",
            "git clean -f",
            "npm run",
            "npm exec thing",
            "make",
            "make CC=gcc",
            "make -j4",
            "python3 tool.py",
            "bash build.sh",
            "env ls",
            "sudo apt update",
            "xargs ls",
            "find . -name x",
            "ssh host ls",
            "timeout 5 ls",
            "awk 1 file",
            "sed -i s/a/b/ file",
            "rm file",
            "rmdir folder",
            "docker run image",
            "docker exec box ls",
            "docker -H tcp://far ps",
            "psql -c select",
            "tar xf file",
            "./build.sh",
            "/usr/bin/git fetch",
            "mystery",
            "mystery sub",
            "kubectl",
            "vim file",
            "watch ls",
            "nohup ls",
            "eval ls",
            "source x",
            "dd if=a of=b",
            "chmod -R 777 .",
            "xdg-open x",
            "npx tool",
            "node x.js",
            "perl x.pl",
        ] {
            assert_eq!(rule(command), None, "{command}");
        }
    }
}
