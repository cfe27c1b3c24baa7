//! The extended attributes of a file, access lists among them: read, and given to another file whole or not at all.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The longest list or value that the kernel takes.
const LONGEST: usize = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Attributes(BTreeMap<Vec<u8>, Vec<u8>>);

impl Attributes {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let mut names = vec![0; 1024];
        let mut listed = flistxattr(file, &mut names[..]);
        if listed == Err(Errno::RANGE) {
            names.resize(LONGEST, 0);
            listed = flistxattr(file, &mut names[..]);
        }
        let filled = match listed {
            Ok(filled) => filled,
            // A file system without any.
            Err(Errno::NOTSUP) => 0,
            Err(error) => return Err(error.into()),
        };
        let mut found = BTreeMap::new();
        for name in names[..filled].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let mut value = vec![0; LONGEST];
            let length = fgetxattr(file, OsStr::from_bytes(name), &mut value[..])?;
            value.truncate(length);
            found.insert(name.to_vec(), value);
        }
        Ok(Self(found))
    }

    /// Makes them those of `file`, which may have been born with others.
    pub(super) fn give_to(&self, file: &File) -> bool {
        let Ok(Self(born)) = Self::of(file) else { return false };
        let surplus = born.keys().filter(|name| !self.0.contains_key(*name));
        let missing = self.0.iter().filter(|(name, value)| born.get(*name) != Some(*value));
        surplus.into_iter().all(|name| fremovexattr(file, OsStr::from_bytes(name)).is_ok())
            && missing.into_iter().all(|(name, value)| {
                fsetxattr(file, OsStr::from_bytes(name), value, XattrFlags::empty()).is_ok()
            })
    }
}
