//! The one way of log lines and panics out of this program: standard error, with every secret hidden that an engine of
//! this process knows, and whatever looks like one. Nothing is logged to a file.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::{Redactor, Shared};

/// Of the engines that run.
static FOLLOWED: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Takes whole lines, one or more a write, as `tracing`'s formatter gives them.
#[derive(Debug)]
pub struct LogWriter<W>(W);

/// To standard error; for a subscriber of `tracing`.
pub fn log_writer() -> LogWriter<io::Stderr> {
    LogWriter(io::stderr())
}

/// What a panic says goes the way of the log lines. For a program's first lines.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let trace = match backtrace.status() {
            BacktraceStatus::Captured => format!("\n{backtrace}"),
            _ => String::new(),
        };
        // Nowhere is left to say that it could not be said.
        drop(log_writer().write_all(format!("{panic}{trace}\n").as_bytes()));
    }));
}

impl<W: Write> Write for LogWriter<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let mut text = String::from_utf8_lossy(lines).into_owned();
        let followed: Vec<_> = followed().iter().filter_map(Weak::upgrade).map(Redactor).collect();
        for redactor in &followed {
            text = redactor.text(&text);
        }
        if followed.is_empty() {
            text = Redactor::default().text(&text);
        }
        self.0.write_all(text.as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Redactor {
    /// From now on what this knows is hidden in log lines too.
    pub(crate) fn follow_logs(&self) {
        let mut followed = followed();
        followed.retain(|shared| shared.strong_count() > 0);
        followed.push(Arc::downgrade(&self.0));
    }
}

fn followed() -> MutexGuard<'static, Vec<Weak<Shared>>> {
    FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(line: &str) -> String {
        let mut writer = LogWriter(Vec::new());
        writer.write_all(line.as_bytes()).unwrap();
        String::from_utf8(writer.0).unwrap()
    }

    #[test]
    fn a_log_line_holds_no_secret() {
        let key = format!("sk-ant-api03-{}", "x1Y2z3".repeat(10));
        let before = logged(&format!("asked with {key} and l0g-test-passw0rd\n"));
        assert!(!before.contains(&key), "{before}");
        let redactor = Redactor::default();
        redactor.follow_logs();
        redactor.know("l0g-test-passw0rd");
        assert_eq!(logged("WARN error=\"l0g-test-passw0rd\" a\n"), "WARN error=\"[secret hidden]\" a\n");
        assert!(!logged("in base64 bDBnLXRlc3QtcGFzc3cwcmQ= as well\n").contains("bDBnLXRlc3Q"));
        assert_eq!(logged("INFO plain\n"), "INFO plain\n");
        drop(redactor);
        assert_eq!(logged("l0g-test-passw0rd\n"), "l0g-test-passw0rd\n", "nobody knows it any more");
    }
}
