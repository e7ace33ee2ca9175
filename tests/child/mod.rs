//! A test that runs itself again, in a process of its own.

// Each test file is a crate of its own, and not each needs all of this.
#![allow(dead_code)]

use std::env;
use std::ffi::OsString;
use std::process::Command;

const ROLE: &str = "NEWT_TEST_ROLE";

/// What this process was started to do; none in the test itself.
pub fn role() -> Option<String> {
    env::var(ROLE).ok()
}

/// This test binary, to run `test` alone in `role`.
pub fn command(test: &str, role: &str) -> Command {
    command_under(&[], test, role)
}

/// The same, started through another program.
pub fn command_under(program: &[&str], test: &str, role: &str) -> Command {
    let binary = env::current_exe().unwrap().into_os_string();
    let mut words: Vec<OsString> = program.iter().map(Into::into).collect();
    words.push(binary);
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env(ROLE, role);
    command
}

/// A size of a test, from the environment.
pub fn size(variable: &str, default: usize) -> usize {
    match env::var(variable) {
        Ok(text) => text.parse().expect("a whole number"),
        Err(_) => default,
    }
}
