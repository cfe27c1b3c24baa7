//! Where the whole output of an attempt is kept, beside the journal. The runner writes these files; this only names
//! and reads them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::stopped;
use crate::protocol::{EngineError, ErrorCode, SessionId, StepId};

/// Bytes of output that are shown at once; of more, the head and the tail.
pub const MAX_OUTPUT_SHOWN: u64 = 8 * 1024 * 1024;

/// Longest file name part made of a step's own id.
const MAX_NAME: usize = 80;

pub(super) fn folder(home: &Path, session: SessionId) -> PathBuf {
    home.join("output").join(session.to_string())
}

/// The page that the session's plan is from; no name of an output is like it.
pub(super) fn page_path(home: &Path, session: SessionId) -> PathBuf {
    folder(home, session).join("page")
}

/// For this user alone, whole or not at all.
pub(super) fn write_page(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

pub(super) fn path(home: &Path, session: SessionId, step: &StepId, attempt: u32) -> PathBuf {
    folder(home, session).join(format!("{}.{attempt}.log", file_name(step)))
}

/// Step ids may be anyone's words. Those that are no plain file name are replaced by their hash, so that no id leads
/// out of the folder or to another step's file.
fn file_name(step: &StepId) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !step.0.is_empty() && step.0.len() <= MAX_NAME && step.0.chars().all(plain) {
        return step.0.clone();
    }
    let hash = Sha256::digest(step.0.as_bytes());
    let hex: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("=_{hex}")
}

/// Reads on a thread of its own, with errors in words for people.
pub(super) async fn reading<T: Send + 'static>(
    path: PathBuf,
    read: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> Result<T, EngineError> {
    let work = move || {
        read(&path).map_err(|error| {
            let message = match error.kind() {
                io::ErrorKind::NotFound => "No output is kept for this attempt.".to_owned(),
                _ => format!("The output could not be read ({}: {error}).", path.display()),
            };
            EngineError::new(ErrorCode::FileUnreadable, message)
        })
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| stopped())?
}

pub(super) fn read_bounded(path: &Path, limit: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= limit {
        file.take(limit).read_to_end(&mut bytes)?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let half = limit / 2;
    Read::by_ref(&mut file).take(half).read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    text.push_str(&format!(
        "\n… {} bytes left out; the whole is in {} …\n",
        length - 2 * half,
        path.display()
    ));
    bytes.clear();
    file.seek(SeekFrom::Start(length - half))?;
    file.take(half).read_to_end(&mut bytes)?;
    text.push_str(&String::from_utf8_lossy(&bytes));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_id_leads_out_of_its_folder() {
        let session = SessionId::new();
        let home = Path::new("/data");
        for id in ["../../etc/passwd", "/etc/passwd", "", ".", "..", "a/b", "A", "ä", &"x".repeat(300)] {
            let path = path(home, session, &StepId::from(id), 0);
            assert_eq!(path.parent(), Some(folder(home, session).as_path()), "{id}");
            assert!(path.file_name().is_some_and(|name| name.len() < 100), "{id}");
        }
        assert_ne!(file_name(&"A".into()), file_name(&"a".into()));
        assert_eq!(file_name(&"install-deps".into()), "install-deps");
    }

    #[tokio::test]
    async fn a_flood_is_read_as_head_and_tail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        std::fs::write(&path, format!("HEAD{}TAIL", "x".repeat(5000))).unwrap();
        let text = read_bounded(&path, 100).unwrap();
        assert!(text.starts_with("HEADx") && text.ends_with("xTAIL"), "{text}");
        assert!(text.contains("4908 bytes left out"), "{text}");
        assert_eq!(read_bounded(&path, 6000).unwrap().len(), 5008);
        let missing = reading(folder.path().join("none"), |path| read_bounded(path, 100)).await;
        assert_eq!(missing.unwrap_err().code, ErrorCode::FileUnreadable);
    }
}
