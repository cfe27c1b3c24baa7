//! What a page is read for: the system, the processor, and which programs are on `PATH`, looked up when a page is read.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use crate::plan::inputs::Offers;
use crate::plan::page::Machine;

const RELEASE: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

/// Looks at the disk, so not on a task that others wait for.
pub(super) fn this_machine(environment: &BTreeMap<String, String>, home: &Path, user: &str) -> Machine {
    let release = RELEASE.iter().find_map(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    Machine {
        kernel: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        programs: programs(environment.get("PATH").map(String::as_str).unwrap_or_default()),
        user: user.to_owned(),
        home: home.display().to_string(),
        ..Machine::default()
    }
    .with_os_release(&release)
}

/// The port is free now; it may be taken by the time that it is used.
pub(super) fn offers(user: String, folder: String) -> Offers {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    Offers { user, host: host(), folder, free_port: port.ok().map(|address| address.port()) }
}

fn host() -> String {
    let told =
        ["/proc/sys/kernel/hostname", "/etc/hostname"].iter().find_map(|path| fs::read_to_string(path).ok());
    let told = told.or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
    told.map(|name| name.trim().to_owned()).unwrap_or_default()
}

fn programs(path: &str) -> HashSet<String> {
    std::env::split_paths(path)
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_every_folder_of_the_path_are_known_and_folders_that_are_gone_are_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tidywick"), "").unwrap();
        let path = format!("/nowhere/at/all:{}", folder.path().display());
        let environment = BTreeMap::from([("PATH".to_owned(), path)]);
        let machine = this_machine(&environment, Path::new("/home/me"), "me");
        assert!(machine.has("tidywick"));
        assert!(!machine.has("elsewhere"));
        assert_eq!((machine.user.as_str(), machine.home.as_str()), ("me", "/home/me"));
    }
}
