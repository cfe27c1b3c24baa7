//! A terminal of the command's own, and the keyboard on this side of it. The engine's words behind the orders are then
//! not only a cancel: `i`, a little-endian `u32` and that many bytes are typed; `s`, rows and columns as little-endian
//! `u16`, is another size; `e` ends the program as a closed terminal would. Anything else is a cancel.
//! What is typed is kept nowhere: it waits in memory that is wiped, until the terminal takes it.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{InputModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use serde::Deserialize;
use zeroize::Zeroize as _;

/// Typed ahead of a program that does not read; more is dropped, so that a cancel is always heard.
const TYPED_AHEAD: usize = 4 * 1024 * 1024;
const READ_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Size {
    rows: u16,
    cols: u16,
}

impl Size {
    fn of_window(self) -> Winsize {
        Winsize { ws_row: self.rows.max(1), ws_col: self.cols.max(1), ws_xpixel: 0, ws_ypixel: 0 }
    }
}

/// Both ends, before a program has one.
#[derive(Debug)]
pub(super) struct Terminal {
    ours: OwnedFd,
    its: OwnedFd,
}

impl Terminal {
    pub(super) fn open(size: Size) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let ours = rustix::fs::open("/dev/ptmx", flags, Mode::empty())?;
        let its = other_end(&ours, flags)?;
        let mut modes = tcgetattr(&its)?;
        // So that the erase key takes a whole character.
        modes.input_modes |= InputModes::IUTF8;
        tcsetattr(&its, OptionalActions::Now, &modes)?;
        tcsetwinsize(&its, size.of_window())?;
        Ok(Self { ours, its })
    }

    /// Ours and the program's.
    pub(super) fn ends(&self) -> io::Result<(OwnedFd, OwnedFd)> {
        Ok((self.ours.try_clone()?, self.its.try_clone()?))
    }

    /// Lets the program's end go: only who it was given to has it from here on. `typed`: what has come already.
    pub(super) fn keyboard(self, typed: &[u8]) -> Keyboard {
        Keyboard { terminal: self.ours, words: typed.to_vec(), waiting: Vec::new() }
    }
}

/// The program's end of a terminal: by its descriptor, for a name may lead to another place here.
#[allow(unsafe_code)]
fn other_end(ours: &OwnedFd, flags: OFlags) -> io::Result<OwnedFd> {
    let locked: libc::c_int = 0;
    // SAFETY: reads one int, which outlives the call.
    if unsafe { libc::ioctl(ours.as_raw_fd(), libc::TIOCSPTLCK, &raw const locked) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let flags = libc::c_int::try_from(flags.bits()).map_err(io::Error::other)?;
    // SAFETY: takes a number, and returns a descriptor or -1.
    match unsafe { libc::ioctl(ours.as_raw_fd(), libc::TIOCGPTPEER, flags) } {
        // SAFETY: the descriptor was made just now, and nobody else has it.
        fd @ 0.. => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What the engine's words come to, beside typing and sizes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Nothing,
    HangUp,
    Cancel,
}

#[derive(Debug)]
pub(super) struct Keyboard {
    terminal: OwnedFd,
    /// The engine's words that are not whole yet.
    words: Vec<u8>,
    /// Typed, and not taken by the terminal yet.
    waiting: Vec<u8>,
}

/// One whole word of the engine's, and how long it is.
enum Word<'a> {
    Typed(&'a [u8]),
    Resized(Size),
    HangUp,
    Cancel,
    Unfinished,
}

impl Keyboard {
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.terminal.as_fd()
    }

    pub(super) fn is_typing(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes in what the engine says. 0 is its end.
    pub(super) fn hear(&mut self) -> Result<usize, Errno> {
        let length = self.words.len();
        self.words.resize(length + READ_BYTES, 0);
        let read = rustix::io::read(std::io::stdin(), &mut self.words[length..]);
        self.words.truncate(length + read.unwrap_or(0));
        read
    }

    /// Does what was said as far as it is whole.
    pub(super) fn heed(&mut self) -> Heard {
        let mut words = std::mem::take(&mut self.words);
        let mut at = 0;
        let heard = loop {
            let (word, length) = word(&words[at..]);
            match word {
                Word::Typed(bytes) => {
                    let room = TYPED_AHEAD.saturating_sub(self.waiting.len());
                    self.waiting.extend_from_slice(&bytes[..bytes.len().min(room)]);
                }
                // A terminal whose program is gone needs no size.
                Word::Resized(size) => drop(tcsetwinsize(&self.terminal, size.of_window())),
                Word::HangUp => break Heard::HangUp,
                Word::Cancel => break Heard::Cancel,
                Word::Unfinished => break Heard::Nothing,
            }
            at += length;
        };
        if heard == Heard::Nothing {
            self.words.extend_from_slice(&words[at..]);
        } else if heard == Heard::HangUp {
            self.words.extend_from_slice(&words[at + 1..]);
        }
        words.zeroize();
        self.type_some();
        heard
    }

    /// Gives the terminal what it takes without waiting.
    pub(super) fn type_some(&mut self) {
        let mut typed = 0;
        while typed < self.waiting.len() {
            match rustix::io::write(&self.terminal, &self.waiting[typed..]) {
                Ok(written @ 1..) => typed += written,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) | Ok(0) => break,
                // Nobody is there to read it.
                Err(_) => typed = self.waiting.len(),
            }
        }
        self.waiting[..typed].zeroize();
        self.waiting.drain(..typed);
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.words.zeroize();
        self.waiting.zeroize();
    }
}

fn word(words: &[u8]) -> (Word<'_>, usize) {
    let unfinished = (Word::Unfinished, 0);
    match words {
        [] => unfinished,
        [b'i', rest @ ..] => {
            let Some((length, rest)) = rest.split_first_chunk() else { return unfinished };
            let length = u32::from_le_bytes(*length) as usize;
            rest.get(..length).map_or(unfinished, |bytes| (Word::Typed(bytes), 5 + length))
        }
        [b's', r, ows, c, ols, ..] => {
            let (rows, cols) = (u16::from_le_bytes([*r, *ows]), u16::from_le_bytes([*c, *ols]));
            (Word::Resized(Size { rows, cols }), 5)
        }
        [b's', ..] => unfinished,
        [b'e', ..] => (Word::HangUp, 1),
        [_, ..] => (Word::Cancel, words.len()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read as _, Write as _};

    use super::*;

    const SIZE: Size = Size { rows: 24, cols: 80 };

    fn open() -> (Keyboard, File) {
        let terminal = Terminal::open(SIZE).unwrap();
        let its = File::from(terminal.ends().unwrap().1);
        let keyboard = terminal.keyboard(&[]);
        rustix::io::ioctl_fionbio(keyboard.fd(), true).unwrap();
        (keyboard, its)
    }

    fn typed(text: &[u8]) -> Vec<u8> {
        [b"i".as_slice(), &(text.len() as u32).to_le_bytes(), text].concat()
    }

    #[test]
    fn words_are_heeded_however_they_are_cut() {
        let (mut keyboard, mut its) = open();
        let words = [typed(b"one"), b"s\x28\0\x64\0".to_vec(), typed(b" two\n")].concat();
        for byte in words {
            keyboard.words.push(byte);
            assert_eq!(keyboard.heed(), Heard::Nothing);
        }
        let mut line = [0; 8];
        its.read_exact(&mut line).unwrap();
        assert_eq!(&line, b"one two\n");
        let size = rustix::termios::tcgetwinsize(&its).unwrap();
        assert_eq!((size.ws_row, size.ws_col), (40, 100));
        keyboard.words.extend_from_slice(b"ecancel\n");
        assert_eq!((keyboard.heed(), keyboard.heed()), (Heard::HangUp, Heard::Cancel));
    }

    #[test]
    fn what_nobody_reads_is_bounded_and_a_cancel_behind_it_is_heard() {
        let (mut keyboard, mut its) = open();
        let modes = tcgetattr(&its).unwrap();
        let mut raw = modes.clone();
        raw.make_raw();
        tcsetattr(&its, OptionalActions::Now, &raw).unwrap();
        its.write_all(b"x").unwrap();
        for _ in 0..3 {
            keyboard.words.extend(typed(&vec![b'a'; 2 * 1024 * 1024]));
            assert_eq!(keyboard.heed(), Heard::Nothing);
        }
        assert!(keyboard.is_typing() && keyboard.waiting.len() <= TYPED_AHEAD);
        keyboard.words.extend_from_slice(b"cancel\n");
        assert_eq!(keyboard.heed(), Heard::Cancel);
    }
}
