//! What a step may do to files, made of numbers.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(super) enum Op {
    Write(usize, u8),
    Append(usize, u8),
    /// As editors do: a new file takes the old one's name.
    Replace(usize, u8),
    Chmod(usize, u32),
    Rename(usize, usize),
    Remove(usize),
    RemoveTree(usize),
    Symlink(usize, usize),
    HardLink(usize, usize),
    MakeFolder(usize),
    Touch(usize, u32),
    Attribute(usize, u8),
    Big(usize, u8),
    Truncate(usize),
}

/// Names in and of a few folders, some of them odd.
const NAMES: usize = 20;

pub(super) fn path(root: &Path, nth: usize) -> PathBuf {
    let odd = OsString::from_vec(vec![b'o', 0xff, b'\n', b'\\', b'x']);
    match nth % NAMES {
        0 => root.join("a"),
        1 => root.join("b"),
        2 => root.join("c d"),
        3 => root.join(odd),
        4 => root.join("f"),
        5 => root.join("f/a"),
        6 => root.join("f/b"),
        7 => root.join("f/g"),
        8 => root.join("f/g/a"),
        9 => root.join("h"),
        10 => root.join("h/a"),
        11 => root.join("h/\u{e9}\t"),
        12 => root.join("f/g/.hidden"),
        13 => root.join("-rf"),
        // Where the folders go when they are moved into each other.
        14 => root.join("f/h"),
        15 => root.join("f/h/a"),
        16 => root.join("h/f"),
        17 => root.join("h/f/g"),
        18 => root.join("h/f/g/a"),
        _ => root.join("long".repeat(63)),
    }
}

pub(super) fn op() -> impl Strategy<Value = Op> {
    let at = || 0..NAMES;
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, byte)| Op::Write(at, byte)),
        3 => (at(), any::<u8>()).prop_map(|(at, byte)| Op::Append(at, byte)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Op::Replace(at, byte)),
        2 => (at(), prop::sample::select(vec![0o600, 0o644, 0o755, 0o4755, 0o444, 0o700])).prop_map(|(at, mode)| Op::Chmod(at, mode)),
        4 => (at(), at()).prop_map(|(from, to)| Op::Rename(from, to)),
        3 => at().prop_map(Op::Remove),
        2 => at().prop_map(Op::RemoveTree),
        2 => (at(), at()).prop_map(|(at, to)| Op::Symlink(at, to)),
        3 => (at(), at()).prop_map(|(at, to)| Op::HardLink(at, to)),
        3 => at().prop_map(Op::MakeFolder),
        1 => (at(), any::<u32>()).prop_map(|(at, time)| Op::Touch(at, time)),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Op::Attribute(at, byte)),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Op::Big(at, byte)),
        1 => at().prop_map(Op::Truncate),
    ]
}

pub(super) fn ops(most: usize) -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op(), 0..most)
}

/// Does it as far as it can be done; links are not followed.
pub(super) fn run(root: &Path, op: &Op) {
    let _ = attempt(root, op);
}

fn attempt(root: &Path, op: &Op) -> std::io::Result<()> {
    let path = |nth: &usize| path(root, *nth);
    let plain = |path: PathBuf| match fs::symlink_metadata(&path) {
        Ok(data) if !data.is_file() => Err(std::io::Error::other("no file")),
        _ => Ok(path),
    };
    match op {
        Op::Write(at, byte) => fs::write(plain(path(at))?, vec![*byte; usize::from(*byte)]),
        Op::Append(at, byte) => {
            OpenOptions::new().append(true).open(plain(path(at))?)?.write_all(&[*byte; 3])
        }
        Op::Replace(at, byte) => {
            let to = plain(path(at))?;
            let new = to.with_file_name("new~");
            fs::write(&new, [*byte; 9])?;
            fs::rename(&new, &to).inspect_err(|_| drop(fs::remove_file(&new)))
        }
        Op::Chmod(at, mode) => {
            let at = path(at);
            if fs::symlink_metadata(&at)?.is_symlink() {
                return Ok(());
            }
            fs::set_permissions(at, fs::Permissions::from_mode(*mode | 0o400))
        }
        Op::Rename(from, to) => fs::rename(path(from), path(to)),
        Op::Remove(at) => fs::remove_file(path(at)).or_else(|_| fs::remove_dir(path(at))),
        Op::RemoveTree(at) => fs::remove_dir_all(path(at)),
        Op::Symlink(at, to) => symlink(path(to), path(at)),
        Op::HardLink(at, to) => fs::hard_link(path(at), path(to)),
        Op::MakeFolder(at) => fs::create_dir(path(at)),
        Op::Touch(at, time) => {
            let at = path(at);
            if fs::symlink_metadata(&at)?.is_symlink() {
                return Ok(());
            }
            File::open(at)?
                .set_modified(SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::from(*time) * 1_000_003))
        }
        Op::Attribute(at, byte) => {
            let at = path(at);
            if fs::symlink_metadata(&at)?.is_symlink() {
                return Ok(());
            }
            let flags = rustix::fs::XattrFlags::empty();
            Ok(rustix::fs::lsetxattr(at, "user.test", &[*byte], flags)?)
        }
        Op::Big(at, byte) => fs::write(plain(path(at))?, vec![*byte; 3_000_000]),
        Op::Truncate(at) => File::options().write(true).open(plain(path(at))?)?.set_len(1),
    }
}
