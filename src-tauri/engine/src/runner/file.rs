//! The file that holds a command's output: all of it up to a cap, and of what comes after that the end.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::tail::Tail;

/// Bytes of the end that are kept of an output that is longer than its cap.
pub(super) const TAIL_BYTES: usize = 64 * 1024;

/// For this user alone: what a command says may be private.
fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[derive(Debug)]
pub(super) struct OutputFile {
    file: File,
    /// Bytes that still fit.
    room: u64,
    /// The end of what did not fit, and how much there was of that.
    tail: Tail,
    beyond: u64,
}

impl OutputFile {
    /// Makes the file, and its folder where needed.
    pub(super) fn create(path: &Path, cap: u64) -> io::Result<Self> {
        let file = private(path).or_else(|error| match (error.kind(), path.parent()) {
            // The first output of a session.
            (io::ErrorKind::NotFound, Some(folder)) => private_folder(folder).and_then(|()| private(path)),
            _ => Err(error),
        })?;
        Ok(Self { file, room: cap, tail: Tail::new(TAIL_BYTES), beyond: 0 })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fits = usize::try_from(self.room).map_or(bytes.len(), |room| room.min(bytes.len()));
        let (now, rest) = bytes.split_at(fits);
        self.file.write_all(now)?;
        self.room -= now.len() as u64;
        self.beyond += rest.len() as u64;
        self.tail.push(rest, |_| {});
        Ok(())
    }

    /// All that is kept from here on is the end.
    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Bytes that are not handed over, before the end.
    pub(super) fn leave_out(&mut self, bytes: u64) {
        self.beyond += bytes;
    }

    /// Writes the end, behind a line that says how much is missing before it.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let missing = self.beyond - self.tail.len() as u64;
        if missing > 0 {
            write!(self.file, "\n[… {missing} bytes left out …]\n")?;
        }
        let (front, back) = self.tail.as_slices();
        self.file.write_all(front)?;
        self.file.write_all(back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cap: u64, parts: &[&[u8]]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("out");
        let mut file = OutputFile::create(&path, cap).unwrap();
        parts.iter().for_each(|part| file.write(part).unwrap());
        file.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn all_is_kept_up_to_the_cap_and_then_the_end() {
        assert_eq!(written(10, &[b"0123", b"456789"]), b"0123456789");
        assert_eq!(written(10, &[b"0123456", b"789ab", b"c"]), b"0123456789abc");
        let bytes: Vec<u8> = (0..10 * TAIL_BYTES).map(|at| (at % 251) as u8).collect();
        for size in [1, 1000, TAIL_BYTES, 3 * TAIL_BYTES, bytes.len()] {
            let parts: Vec<&[u8]> = bytes.chunks(size.max(7)).collect();
            let missing = bytes.len() - 100 - TAIL_BYTES;
            let mark = format!("\n[… {missing} bytes left out …]\n");
            let wanted = [&bytes[..100], mark.as_bytes(), &bytes[bytes.len() - TAIL_BYTES..]].concat();
            assert!(written(100, &parts) == wanted, "{size}");
        }
    }
}
