//! Whether there is a display to open a window on, and what draws on it. Asked before anything else, for the libraries below
//! panic without a display, and read once what they should draw with.

use std::fmt;
#[cfg(target_os = "linux")]
use std::path::Path;

/// Why no window can be opened, with what to do.
#[derive(Debug)]
pub(crate) enum NoDisplay {
    /// Neither `DISPLAY` nor `WAYLAND_DISPLAY` is set.
    NotSet,
    /// It is set, and does not answer.
    Unreachable,
}

impl fmt::Display for NoDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSet => f.write_str(
                "There is no display to open the window on (DISPLAY and WAYLAND_DISPLAY are not set). ",
            )?,
            Self::Unreachable => {
                f.write_str("The display that DISPLAY or WAYLAND_DISPLAY names cannot be opened. ")?
            }
        }
        f.write_str("Start Planwright from a desktop, or use planwright-cli, which needs none.")
    }
}

/// Has WebKit draw with the processor, and only what changed. It would else draw layers and put them together on an emulated
/// graphics card: the whole window for each letter, and it is twice as long until the letter is on the screen.
/// The engine keeps it from the commands that it runs.
#[cfg(target_os = "linux")]
const WITHOUT_LAYERS: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Whether a card could draw: one with a render node, or one whose maker's own driver has none.
#[cfg(target_os = "linux")]
fn has_graphics_card(devices: &Path) -> bool {
    let mut nodes = std::fs::read_dir(devices.join("dri")).into_iter().flatten().flatten();
    nodes.any(|node| node.file_name().as_encoded_bytes().starts_with(b"renderD"))
        || devices.join("nvidiactl").exists()
}

#[cfg(target_os = "linux")]
pub(crate) fn open() -> Result<(), NoDisplay> {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err(NoDisplay::NotSet);
    }
    if !has_graphics_card(Path::new("/dev")) {
        // What the user set stays. Where it cannot be set the page is slower, no more.
        let _ = gtk::glib::setenv(WITHOUT_LAYERS, "1", false);
    }
    gtk::init().map_err(|_| NoDisplay::Unreachable)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open() -> Result<(), NoDisplay> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::has_graphics_card;

    #[test]
    fn a_card_that_draws_has_a_render_node_or_a_driver_of_its_own() {
        let devices = tempfile::tempdir().unwrap();
        let has = || has_graphics_card(devices.path());
        let make = |name: &str| std::fs::write(devices.path().join(name), "").unwrap();
        assert!(!has());
        // A screen without anything that draws, as virtual machines have.
        std::fs::create_dir(devices.path().join("dri")).unwrap();
        make("dri/card0");
        assert!(!has());
        make("dri/renderD128");
        assert!(has());
        std::fs::remove_file(devices.path().join("dri/renderD128")).unwrap();
        make("nvidiactl");
        assert!(has());
    }
}
