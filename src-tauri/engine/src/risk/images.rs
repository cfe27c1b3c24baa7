//! File systems in files: what a program for disks does to an image that a build makes is no more than a change of a file.

use super::args::Parsed;
use super::judge::Judge;
use super::place::Place;
use super::targets::Target;
use super::words::Arg;

/// `debugfs -R 'stat /etc/fstab' /dev/sda2`: what it is told only looks at what the file system notes of a file.
pub(super) fn looks_into(parsed: &Parsed<'_, '_>) -> bool {
    const LOOKS: [&str; 14] = [
        "stat",
        "ls",
        "show_super_stats",
        "stats",
        "icheck",
        "ncheck",
        "imap",
        "blocks",
        "ex",
        "extents",
        "htree",
        "testb",
        "testi",
        "supported_features",
    ];
    let plain = |text: &str| {
        text.split_whitespace().next().is_some_and(|order| LOOKS.contains(&order))
            && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-./<>:@+=".contains(c))
    };
    order_of(parsed).is_some_and(|(before, order)| {
        order.known().is_some_and(plain) && before.is_empty() && parsed.given.len() == 1
    })
}

/// The order behind `-R`, and the letters that stand before the `R`.
fn order_of<'p>(parsed: &'p Parsed<'_, '_>) -> Option<(&'p str, &'p Arg)> {
    let at = parsed.all.iter().position(|arg| {
        arg.known()
            .is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.ends_with('R'))
    })?;
    let letters = parsed.all.get(at)?.known()?.strip_prefix('-')?.strip_suffix('R')?;
    Some((letters, parsed.all.get(at + 1)?))
}

fn is_disk_program(name: &str) -> bool {
    name.starts_with("mkfs")
        || matches!(
            name,
            "mke2fs"
                | "mkswap"
                | "mkntfs"
                | "mkdosfs"
                | "wipefs"
                | "fdisk"
                | "sfdisk"
                | "parted"
                | "cryptsetup"
                | "resize2fs"
                | "debugfs"
                | "e2fsck"
                | "fsck.ext2"
                | "fsck.ext3"
                | "fsck.ext4"
                | "tune2fs"
                | "e2label"
        )
}

/// By its name, a file that stands for a disk.
fn is_image(name: &str) -> bool {
    const ENDINGS: [&str; 12] =
        ["img", "image", "raw", "iso", "bin", "disk", "ext2", "ext3", "ext4", "fat", "luks", "swap"];
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending))
}

/// A file system in a file of the workspace: no disk is touched, and the file is one like others.
pub(super) fn changes_own(j: &Judge<'_>, name: &str, parsed: &Parsed<'_, '_>) -> bool {
    if !is_disk_program(name) {
        return false;
    }
    if name == "cryptsetup" && parsed.words.first().and_then(|word| word.known()) != Some("luksFormat") {
        return false;
    }
    if name == "debugfs" && !changes_inside(parsed) {
        return false;
    }
    let order = order_of(parsed).filter(|_| name == "debugfs").map(|(_, order)| order.span);
    let own = |arg: &Arg| match j.target(arg) {
        Target::At(paths) => paths.iter().all(|path| {
            super::place::place(path, &j.anchors) == Place::Workspace
                && !path.starts_with("/dev")
                && !path.components().any(|part| part.as_os_str() == ".git")
        }),
        Target::Inside { .. } | Target::Unknown => false,
    };
    // Values of options too: a journal, a header or a key elsewhere.
    let inside = |arg: &Arg| {
        let Some(text) = arg.known() else { return false };
        let path = |text: &str| text.contains('/') || text.starts_with(['~', '.']);
        let fine = match text.split_once('=') {
            Some((_, value)) => !path(value) || !value.starts_with('~') && own(&arg.with(value.to_owned())),
            None => !path(text) || own(arg),
        };
        Some(arg.span) == order || fine
    };
    // What a build makes again, or this text has just made: another image may be a whole machine.
    let made_again = |word: &Arg| {
        matches!(j.target(word), Target::At(paths) if paths.iter().all(|path| {
            super::delete::in_build_product(path, &j.anchors.root) || j.written.contains(path)
        }))
    };
    let image = |word: &&Arg| word.known().is_some_and(is_image) && own(word) && made_again(word);
    !parsed.doubtful.iter().any(|arg| arg.known().is_none())
        && !j.lost
        && parsed.all.iter().all(inside)
        && parsed.words.iter().any(image)
        && parsed.words.iter().all(|word| own(word))
}

/// `debugfs -wR 'write build/app.bin app.bin' x.img`: an order that changes the image and no file of this machine.
fn changes_inside(parsed: &Parsed<'_, '_>) -> bool {
    const CHANGES: [&str; 9] =
        ["write", "mkdir", "rm", "rmdir", "ln", "symlink", "unlink", "sif", "set_inode_field"];
    let plain = |text: &str| {
        let mut words = text.split_whitespace();
        let order = words.next().unwrap_or_default();
        CHANGES.contains(&order)
            && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-./".contains(c))
            && (order != "write"
                || words.next().is_some_and(|from| {
                    !from.starts_with(['/', '.']) && !from.contains("..") && !from.contains("/.")
                }))
    };
    order_of(parsed).is_some_and(|(_, order)| order.known().is_some_and(plain))
        && parsed.given.iter().all(|arg| matches!(arg.known(), Some("-w" | "-wR" | "-R")))
}

/// Notes the image that is changed.
pub(super) fn touches(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>) {
    let at = usize::from(name == "cryptsetup");
    let image = |word: &&&Arg| word.known().is_some_and(is_image);
    let words: Vec<Arg> = parsed.words.iter().skip(at).filter(image).map(|word| (*word).clone()).collect();
    if is_disk_program(name) && words.iter().all(|word| !matches!(j.target(word), Target::Unknown)) {
        words.iter().for_each(|word| j.write(word));
    }
}
