//! Taking away outside the workspace. A program that clears up knows what it made, and a build makes it again; but nobody said
//! whose work lies in another folder, so there neither is an excuse. Knows of a program only that it clears, and where.

use std::path::Path;

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::Judge;
use super::place::{Place, place};
use super::targets::Target;
use super::words::{Arg, Text};
use crate::knowledge::Deed;
use crate::protocol::Risk;

/// Orders to take away what is named behind them, besides those with `clean` in them.
const TAKES_AWAY: [&str; 12] = [
    "clobber",
    "mrproper",
    "prune",
    "expunge",
    "purge",
    "wipe",
    "uninstall",
    "remove",
    "rm",
    "delete",
    "del",
    "destroy",
];
/// Those of them that take away whatever they find in the folder at hand.
const SWEEPS: [&str; 4] = ["clobber", "mrproper", "prune", "expunge"];
/// Options whose value is such an order: `ninja -t clean`, `cmake --build x --target clean`.
const ASKED_FOR_BY: [&str; 4] = ["-t", "--target", "--tool", "--task"];
/// Variables that tell a program to work, or to keep what it makes, somewhere else.
const LEADS_ELSEWHERE: [&str; 7] = [
    "GIT_WORK_TREE",
    "GIT_DIR",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "BUILD_DIR",
    "BUILDDIR",
    "MAKEFLAGS",
];
const WHY: &str = "deletes outside the workspace";

/// What one word asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Clears the folder that it works in.
    Sweeps,
    /// Takes away what it is told to.
    TakesAway,
}

/// A program that the tables know.
pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, span: Span) {
    if parsed.reports() {
        return;
    }
    let deletes = parsed.entry.does(Deed::Deletes)
        || parsed.flags.iter().any(|given| given.flag.does.contains(&Deed::Deletes));
    let values = parsed.flags.iter().filter_map(|given| {
        let asks = given.flag.names.iter().any(|name| ASKED_FOR_BY.contains(&name.as_str()));
        given.value.as_ref().filter(|_| asks)
    });
    // What stands behind a wrapper is judged by itself, but not what the wrapper puts around it: `env BUILD=.. make clean`.
    let whole = parsed.all.iter().filter(|_| parsed.entry.wraps.is_some());
    let words = parsed.subs.iter().chain(&parsed.words).chain(&parsed.given).copied();
    let order =
        words.chain(values).chain(whole).filter_map(order).chain(named(name)).min_by_key(
            |order| match order {
                Order::Sweeps => 0,
                Order::TakesAway => 1,
            },
        );
    let order = order.or(deletes.then_some(Order::TakesAway));
    judge(j, order, parsed.all, span);
}

/// A program that nothing is known of but its name and its words.
pub(super) fn stranger(j: &mut Judge<'_>, name: &str, words: &[Arg], span: Span) {
    let orders = || words.iter().filter_map(order).chain(named(name));
    let sweeps = orders().find(|order| *order == Order::Sweeps);
    judge(j, sweeps.or_else(|| orders().next()), words, span);
}

fn judge(j: &mut Judge<'_>, order: Option<Order>, args: &[Arg], span: Span) {
    let Some(order) = order.filter(|_| !j.elsewhere && j.found.here > Risk::Safe) else { return };
    if let Some(span) = leads_out(j, order, args, span) {
        j.found.add(Risk::Dangerous, WHY, span);
        j.found.effects.deletes = true;
        j.found.effects.writes_outside = true;
    }
}

/// Where the text says so.
fn leads_out(j: &Judge<'_>, order: Order, args: &[Arg], span: Span) -> Option<Span> {
    if let Some(arg) = args.iter().find(|arg| names_outside(j, arg)) {
        return Some(arg.span);
    }
    let here = j.lost || j.folders.iter().any(|(folder, _)| is_outside(j, folder));
    let set = j.set_for_it.iter().any(|value| path_outside(j, value, span)) || {
        LEADS_ELSEWHERE.iter().any(|name| {
            let value = j.variables.get(name, j.workspace.environment);
            value.is_some_and(|value| path_outside(j, value, span))
        })
    };
    (order == Order::Sweeps && here || set).then_some(span)
}

fn named(name: &str) -> Option<Order> {
    (name != "clean").then(|| name.contains("clean")).filter(|cleans| *cleans).map(|_| Order::Sweeps)
}

fn order(arg: &Arg) -> Option<Order> {
    let text = arg.known().filter(|text| !text.contains(['/', ' ']))?;
    let name = text.split('=').next().unwrap_or(text);
    let mut parts = name.split([':', '-', '_']);
    let sweeps = |part: &str| part.starts_with("clean") || part.ends_with("clean") || SWEEPS.contains(&part);
    if parts.clone().any(sweeps) {
        Some(Order::Sweeps)
    } else {
        parts.any(|part| TAKES_AWAY.contains(&part)).then_some(Order::TakesAway)
    }
}

/// Whether a word is, or holds, a path that leads out: `../x`, `--manifest-path=../x/Cargo.toml`, `-C../x`, `O=../x`.
fn names_outside(j: &Judge<'_>, arg: &Arg) -> bool {
    let (text, tilde) = match &arg.text {
        Text::Known { text, tilde } | Text::Glob { pattern: text, tilde } => (text, *tilde),
        Text::Unknown { .. } => return false,
    };
    if tilde {
        return path_outside(j, text, arg.span);
    }
    let value = text.split_once('=').map(|(_, value)| value);
    let attached =
        text.strip_prefix('-').and_then(|rest| rest.find(['.', '/', '~']).and_then(|at| rest.get(at..)));
    [Some(text.as_str()), value, attached].into_iter().flatten().any(|path| path_outside(j, path, arg.span))
}

fn path_outside(j: &Judge<'_>, text: &str, span: Span) -> bool {
    let is_path = text == ".." || text.contains('/') || text.starts_with('~');
    // An address, a list of paths, a place on another machine.
    if !is_path || text.contains(':') || text.starts_with('-') {
        return false;
    }
    let path = Arg { text: Text::Known { text: text.to_owned(), tilde: text.starts_with('~') }, span };
    match j.target(&path) {
        Target::At(paths) | Target::Inside { folders: paths, .. } => {
            paths.iter().any(|path| is_outside(j, path))
        }
        Target::Unknown => false,
    }
}

/// Whether what lies in `folder` is none of the workspace's, nor made by this very text. Programs of the system are no work of anybody's.
fn is_outside(j: &Judge<'_>, folder: &Path) -> bool {
    let folder = j.workspace.paths.resolve(folder);
    let outside = match place(&folder, &j.anchors) {
        Place::Workspace | Place::Guarded | Place::Nowhere | Place::System => false,
        Place::Temporary => is_beside(&folder.join("x"), &j.anchors.root),
        Place::Home
        | Place::Hidden
        | Place::OtherHome
        | Place::Mounted
        | Place::Disk
        | Place::Spare
        | Place::Device
        | Place::Connection
        | Place::Outside => true,
    };
    outside && !j.is_in_made(&folder)
}

/// Whether `file` lies in another folder of the temporary ones that the workspace is in itself: somebody works there.
pub(super) fn is_beside(file: &Path, root: &Path) -> bool {
    ["/tmp", "/var/tmp"].iter().any(|top| {
        let deep = file.strip_prefix(top).is_ok_and(|rest| rest.components().count() > 1);
        root.starts_with(top) && deep && !file.starts_with(root)
    })
}

impl Judge<'_> {
    /// Whether all that is done here is done in the workspace or where nobody works.
    pub(super) fn works_inside(&self) -> bool {
        !self.lost && !self.folders.iter().any(|(folder, _)| is_outside(self, folder))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn what_a_build_makes_again_counts_in_the_workspace_only() {
        check(
            Risk::Dangerous,
            r#"
            find .. -name '*.log' -delete
            find .. -name '*.o' -delete
            find . .. -name '*.o' -delete
            find . ../x -name '*.pyc' -exec rm {} +
            find .. -name '*.o' -execdir rm {} +
            find ~/code -name __pycache__ -exec rm -r {} +
            find .. -type d -empty -delete
            find .. -name '*.bak' -mtime +30 -delete
            find .. -name '*.o' -print0 | xargs -0 rm -f
            find . -name '*.log' -delete
            fd -e o . .. -X rm
            rm ../x/*.o
            rm -rf ../x/node_modules
            rm -rf ~/other/node_modules
            rm -rf ~/.cache/pip
            cd ..; rm -rf node_modules
            rmdir ../x
            git rm ../x/a
            git worktree remove ../x
        "#,
        );
        check(
            Risk::Caution,
            "
            find . -name '*.o' -delete
            rm -rf node_modules
            rm -f build.log
            rmdir x
            git rm a",
        );
    }

    #[test]
    fn what_cleans_up_is_asked_about_where_it_works_elsewhere() {
        check(
            Risk::Dangerous,
            r#"
            git -C ../x clean -fd build
            git --git-dir=../x/.git --work-tree=../x clean -fd target
            GIT_WORK_TREE=../x git clean -fd build
            export GIT_WORK_TREE=../x; git clean -fd build
            git -C ../x rm -r src
            git -C ../x checkout -- a.txt
            git -C ../x restore a.txt
            rsync -a --delete src/ ../backup/
            rsync -a --del ./ ~/backup
            cargo clean --manifest-path ../x/Cargo.toml
            cargo clean --manifest-path=../x/Cargo.toml
            cargo clean --target-dir ../x
            cargo -C ../x clean
            CARGO_TARGET_DIR=../x cargo clean
            env CARGO_TARGET_DIR=../x cargo clean
            (cd .. && cargo clean)
            cd ~/other && make distclean
            cd "$X" && make clean
            make -C .. clean
            make -C../x clean
            make --directory=../x distclean
            make O=../x clean
            make -f ../x/Makefile clean
            timeout 5 make -C .. clean
            bash -c 'make -C .. clean'
            ninja -C ../x -t clean
            ninja -C ../build clean
            cmake --build ../build --target clean
            meson compile -C ../b --clean
            go clean ../...
            npm --prefix ../x run clean
            npm --prefix ../x uninstall react
            yarn --cwd ../x run clean
            pnpm -C ../x prune
            ./gradlew -p ../x clean
            gradle -p .. clean
            mvn -f ../x/pom.xml clean
            dotnet clean ../x
            pyclean ..
            py3clean ../x
            svn cleanup --remove-unversioned ../x
            hg --cwd ../x purge"#,
        );
        check(
            Risk::Caution,
            r#"
            cargo clean
            cargo clean --manifest-path sub/Cargo.toml
            make -C sub clean
            cd sub && make distclean
            make clean CC=/usr/bin/gcc
            npm run clean
            gradle clean
            mvn clean install
            mkdir -p /tmp/w && cd /tmp/w && make clean
            git -C sub checkout -- a.txt"#,
        );
    }
}
