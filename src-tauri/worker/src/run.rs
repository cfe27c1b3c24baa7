//! Supervises one command. Not part of this program yet: it refuses.

pub fn main() -> i32 {
    eprintln!("this worker cannot run commands");
    2
}
