//! Folders of the user's own among the temporary files.

use std::collections::BTreeMap;

use super::super::fixture::{TestPaths, read, workspace};
use super::super::{DiskPaths, Paths, assess};
use crate::protocol::Risk;

fn judged(command: &str) -> Risk {
    let own = ["/tmp", "/tmp/build", "/tmp/build/sub", "/var/tmp/cache", "/home/u/docs"];
    let paths = TestPaths {
        own: own.map(Into::into).to_vec(),
        links: BTreeMap::from([("/tmp/link".into(), "/home/u/docs".into())]),
        ..TestPaths::default()
    };
    assess(command, &read(command), &workspace(&paths, &BTreeMap::new(), &BTreeMap::new())).risk
}

#[test]
fn a_temporary_folder_of_ones_own_is_deleted_with_care() {
    for (command, risk) in [
        ("rm -rf /tmp/build", Risk::Caution),
        ("rm -r /tmp/build/", Risk::Caution),
        ("rm -rf /tmp/build/sub /var/tmp/cache", Risk::Caution),
        // Of somebody else, or not there.
        ("rm -rf /tmp/other", Risk::Dangerous),
        ("rm -rf /tmp/build/other", Risk::Dangerous),
        ("rm -rf /tmp/build /tmp/other", Risk::Dangerous),
        // More than one folder with a name.
        ("rm -rf /tmp", Risk::Blocked),
        ("rm -rf /tmp/*", Risk::Blocked),
        ("cd /tmp/build && rm -rf sub", Risk::Dangerous),
        ("rm -rf /tmp/$X", Risk::Dangerous),
        ("rm -rf /tmp/b*", Risk::Dangerous),
        // It leads elsewhere.
        ("rm -rf /tmp/link/", Risk::Dangerous),
        ("rm -rf /tmp/build/../../home/u/docs", Risk::Dangerous),
        ("rm -rf /home/u/docs", Risk::Dangerous),
        // With the rights of somebody else, or on another machine.
        ("sudo rm -rf /tmp/build", Risk::Dangerous),
        ("ssh host rm -rf /tmp/build", Risk::Dangerous),
        // What was brought there first would go as well.
        ("mv ~/docs /tmp/build/ && rm -rf /tmp/build", Risk::Dangerous),
        ("for i in 1 2; do rm -rf /tmp/build; mv ~/docs /tmp/build; done", Risk::Dangerous),
    ] {
        assert_eq!(judged(command), risk, "{command}");
    }
}

#[test]
fn whose_a_folder_is_the_file_system_says() {
    let folder = tempfile::tempdir().unwrap();
    let (own, link) = (folder.path().join("own"), folder.path().join("link"));
    std::fs::create_dir(&own).unwrap();
    std::os::unix::fs::symlink(&own, &link).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let is_own = |path: &std::path::Path| DiskPaths.is_own_folder(path);
    assert_eq!((is_own(&own), is_own(&link), is_own(&folder.path().join("file"))), (true, false, false));
    assert!(!is_own(&folder.path().join("none")));
}
