//! The machine's own pages, found without asking any program and kept in memory once they are read.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::{Manuals, Page, fish, roff};

/// Sections in which programs are described, the likeliest first, with the folder of each: a suite may add its name.
const SECTIONS: [(&str, &str); 4] = [("man1", "1"), ("man8", "8"), ("man6", "6"), ("man1", "1ssl")];
/// No page is longer, in bytes, once unpacked.
const LONGEST: u64 = 4 * 1024 * 1024;
/// Most of each that is kept, names that have none among them.
const KEPT: usize = 256;

static PAGES: LazyLock<Kept<Option<Arc<Page>>>> = LazyLock::new(Kept::default);
/// A folder of pages has thousands of names.
static SUB_PAGES: LazyLock<Kept<Arc<[String]>>> = LazyLock::new(Kept::default);

/// What was read, by folders and name.
#[derive(Debug, Default)]
struct Kept<T>(Mutex<HashMap<String, T>>);

impl<T: Clone> Kept<T> {
    fn get(&self, manuals: &DiskManuals, name: &str, read: impl FnOnce() -> T) -> T {
        let key = format!("{:?}", (&manuals.manuals, &manuals.completions, name));
        if let Some(known) = self.lock().get(&key) {
            return known.clone();
        }
        let found = read();
        let mut kept = self.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, found.clone());
        found
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Man pages below folders as `/usr/share/man`, then completion files of fish.
#[derive(Debug, Clone)]
pub(crate) struct DiskManuals {
    manuals: Vec<PathBuf>,
    completions: Vec<PathBuf>,
}

impl DiskManuals {
    /// Those of this machine. `manpath`: folders divided by `:`, an empty one stands for the usual ones, as `man` has it.
    pub(crate) fn new(manpath: Option<&str>) -> Self {
        let usual = ["/usr/local/share/man", "/usr/local/man", "/usr/share/man"].map(PathBuf::from);
        let mut manuals = Vec::new();
        for folder in manpath.unwrap_or_default().split(':') {
            match folder {
                "" => manuals.extend(usual.iter().cloned()),
                folder => manuals.push(PathBuf::from(folder)),
            }
        }
        let completions = ["/usr/share/fish/vendor_completions.d", "/usr/share/fish/completions"];
        Self { manuals, completions: completions.map(PathBuf::from).into() }
    }

    /// These folders alone.
    #[cfg(test)]
    pub(crate) fn of(manuals: Vec<PathBuf>, completions: Vec<PathBuf>) -> Self {
        Self { manuals, completions }
    }

    fn read(&self, name: &str) -> Option<Page> {
        let files = self.manuals.iter().flat_map(|folder| {
            SECTIONS.iter().map(move |(below, section)| folder.join(format!("{below}/{name}.{section}")))
        });
        for file in files {
            if let Some(text) = source(&file, &self.manuals) {
                return Some(roff::read(name, &text));
            }
        }
        self.completions.iter().find_map(|folder| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.fish"))).ok()?;
            fish::read(name, &text)
        })
    }

    /// What the page of `name` names, and the sub-commands that have a page of their own: `add` of `git`, for `git-add.1`.
    pub(crate) fn words(&self, name: &str) -> Vec<String> {
        let page = self.page(name);
        let mut words: Vec<String> = page.iter().flat_map(|page| page.words()).map(str::to_owned).collect();
        if is_name(name) {
            let sub_pages = || self.sub_pages(name).collect();
            words.extend(SUB_PAGES.get(self, name, sub_pages).iter().cloned());
        }
        words.sort();
        words.dedup();
        words
    }

    fn sub_pages(&self, name: &str) -> impl Iterator<Item = String> {
        let start = format!("{name}-");
        let folders =
            self.manuals.iter().flat_map(|folder| ["man1", "man8"].map(|section| folder.join(section)));
        let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        files.filter_map(move |file| {
            let file = file.file_name().into_string().ok()?;
            let word = file.strip_prefix(&start)?.trim_end_matches(".gz");
            let (word, section) = word.rsplit_once('.')?;
            SECTIONS.iter().any(|(_, own)| *own == section).then(|| word.to_owned())
        })
    }
}

impl Manuals for DiskManuals {
    fn page(&self, name: &str) -> Option<Arc<Page>> {
        if !is_name(name) {
            return None;
        }
        PAGES.get(self, name, || self.read(name).map(Arc::new))
    }
}

/// A name of a program and nothing that leads elsewhere.
fn is_name(name: &str) -> bool {
    (1..=80).contains(&name.len())
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+:@[".contains(c))
}

/// The text of a page, packed or not. One that only points to another (`.so man1/gzip.1`) is followed once.
fn source(file: &Path, folders: &[PathBuf]) -> Option<String> {
    let text = unpacked(file)?;
    let Some(other) =
        text.lines().find(|line| !line.starts_with(".\\\"")).and_then(|line| line.strip_prefix(".so "))
    else {
        return Some(text);
    };
    let other = other.trim();
    if other.contains("..") || other.starts_with('/') {
        return None;
    }
    let beside = file.parent().and_then(Path::parent).map(Path::to_path_buf);
    beside.iter().chain(folders).find_map(|folder| unpacked(&folder.join(other)))
}

fn unpacked(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let packed = file.with_file_name(format!("{}.gz", file.file_name()?.to_str()?));
    if let Ok(packed) = std::fs::File::open(packed) {
        flate2::read::GzDecoder::new(packed).take(LONGEST).read_to_end(&mut bytes).ok()?;
    } else {
        std::fs::File::open(file).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_packed_or_not_and_through_a_pointer() {
        let folder = tempfile::tempdir().unwrap();
        let (one, eight) = (folder.path().join("man1"), folder.path().join("man8"));
        std::fs::create_dir_all(&one).unwrap();
        std::fs::create_dir_all(&eight).unwrap();
        let text = ".SH NAME\nsway \\- sways\n.SH OPTIONS\n.TP\n\\-x\nrocks\n";
        std::fs::write(one.join("sway.1"), text).unwrap();
        std::fs::write(one.join("swing.1"), ".so man1/sway.1\n").unwrap();
        std::fs::write(one.join("out.1"), ".so ../../etc/passwd\n").unwrap();
        let packed = std::fs::File::create(eight.join("swayd.8.gz")).unwrap();
        let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
        packed.finish().unwrap();
        let manuals = DiskManuals::of(vec![folder.path().into()], Vec::new());
        for name in ["sway", "swing", "swayd"] {
            assert_eq!(manuals.page(name).unwrap().option("-x").unwrap().says, "rocks", "{name}");
        }
        std::fs::write(one.join("sway-far-off.1"), text).unwrap();
        assert_eq!(manuals.words("sway"), ["-x", "far-off"]);
        assert_eq!(manuals.words("none"), Vec::<String>::new());
        for name in ["none", "out", "../man1/sway", "", "-x"] {
            assert!(manuals.page(name).is_none(), "{name}");
        }
    }

    #[test]
    fn no_pages_at_all_are_no_fault() {
        assert!(DiskManuals::of(Vec::new(), Vec::new()).page("ls").is_none());
        assert!(DiskManuals::new(Some("/nowhere")).page("no-such-program").is_none());
    }
}
