//! `ui/src/ipc/bindings.ts` is what the commands say today. `UPDATE_BINDINGS=1` writes it.

use std::fs;
use std::path::Path;

use specta_typescript::Typescript;

#[test]
fn the_pages_bindings_are_up_to_date() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/ipc/bindings.ts");
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("bindings.ts");
    planwright_window::bindings().export(Typescript::default(), &made).unwrap();
    let made = fs::read_to_string(made).unwrap();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        fs::write(&kept, &made).unwrap();
    }
    let same = fs::read_to_string(kept).unwrap() == made;
    assert!(
        same,
        "ui/src/ipc/bindings.ts is out of date: run `UPDATE_BINDINGS=1 cargo test -p planwright-window --test bindings`"
    );
}
