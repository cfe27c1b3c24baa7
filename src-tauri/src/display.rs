//! Whether there is a display to open a window on. Asked before anything else, for the libraries below panic without.

use std::fmt;

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

#[cfg(target_os = "linux")]
pub(crate) fn open() -> Result<(), NoDisplay> {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err(NoDisplay::NotSet);
    }
    gtk::init().map_err(|_| NoDisplay::Unreachable)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open() -> Result<(), NoDisplay> {
    Ok(())
}
