//! Which part of a path is closed, and for whom: a folder on the way to it, or the file itself.

use std::path::{Path, PathBuf};

use super::super::Rights;
use super::super::case::{Case, text};
use super::super::template::Findings;
use super::outputs::written;

/// What the part of a path that denies would have to allow, as chmod writes it.
type Closed = (PathBuf, Rights, &'static str);

/// `path` → `part` and `letters`: the one part of the path that is closed although it is one's own.
pub(super) fn own_part_closed(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let (part, rights, letters) = closed(case, found.get("path")?)?;
    if !rights.mine {
        return None;
    }
    found.set("part", shown(case, &part));
    found.set("letters", letters);
    Some(())
}

/// `path`: closed, and root's, where everybody may go: for one command an administrator's rights open it.
pub(super) fn part_of_root(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let (part, rights, _) = closed(case, found.get("path")?)?;
    found.set("part", shown(case, &part));
    rights.root.then_some(())
}

/// The part that denies is not one's own, as far as can be seen: then an administrator's rights are no way round one's own.
pub(super) fn not_own(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    closed(case, found.get("path")?).is_none_or(|(_, rights, _)| !rights.mine).then_some(())
}

/// The first part from the top that denies.
fn closed(case: &Case<'_>, path: &str) -> Option<Closed> {
    let place = case.on_disk(path)?;
    let writes = is_written(case, path);
    let mut above: Vec<&Path> = place.ancestors().skip(1).collect();
    above.reverse();
    for folder in &above {
        let rights = case.machine.rights(folder)?;
        if !rights.enter {
            return Some((folder.to_path_buf(), rights, if writes { "u+rwx" } else { "u+rx" }));
        }
    }
    let removes = case.everything.lines().any(|line| line.contains(path) && line.contains("remove"));
    let Some(rights) = case.machine.rights(&place).filter(|_| !removes) else {
        // It is to be made or taken away: then the folder above decides.
        let folder = *above.last()?;
        let rights = case.machine.rights(folder)?;
        return ((writes || removes) && !rights.write).then(|| (folder.to_path_buf(), rights, "u+w"));
    };
    let is_folder = case.machine.is_dir(&place);
    let letters = match (is_folder, writes) {
        (true, true) if !rights.write => "u+rwx",
        (true, false) if !rights.read || !rights.enter => "u+rx",
        (false, true) if !rights.write => "u+w",
        (false, false) if !rights.read => "u+r",
        _ => return None,
    };
    Some((place, rights, letters))
}

/// Whether the command makes or changes what is at `path`.
fn is_written(case: &Case<'_>, path: &str) -> bool {
    let says = case.everything.lines().filter(|line| line.contains(path)).any(|line| {
        ["creat", "touch", "writ", "mkdir", "mkstemp", "rename"].iter().any(|word| line.contains(word))
    });
    let named = |run: &super::super::case::Run<'_>| {
        matches!(run.program(), "tee" | "touch" | "truncate")
            && run.args().iter().any(|arg| text(arg) == Some(path))
    };
    says || written(case, path) || case.runs().any(|run| named(&run))
}

/// A part as an inserted step names it.
fn shown(case: &Case<'_>, part: &Path) -> String {
    let inside = case.folder.as_ref().and_then(|folder| part.strip_prefix(folder).ok());
    match inside {
        Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Some(inside) => inside.display().to_string(),
        None => part.display().to_string(),
    }
}

/// `path` → `mount`: the place where the disk of the path is put in.
pub(super) fn mount_of(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let place = case.on_disk(found.get("path")?)?;
    let mounts = case.machine.read(Path::new("/proc/mounts"))?;
    let on = |line: &&str| {
        let mut columns = line.split(' ');
        columns.nth(1).is_some_and(|on| place.starts_with(on))
    };
    let mount =
        mounts.lines().filter(on).filter_map(|line| line.split(' ').nth(1)).max_by_key(|on| on.len())?;
    found.set("mount", mount);
    Some(())
}
