//! Hosts in their own language, built with their own toolchain, against the
//! library that this very `cargo test` built. A host whose toolchain is not
//! here is named and skipped; `.ci/run` installs them all, and runs each host's
//! own tests under its own checkers.
#![cfg(target_os = "linux")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where cargo put this test's library.
fn libraries() -> PathBuf {
    let test = env::current_exe().expect("a test knows its path");
    test.parent().expect("in a folder").to_owned()
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Says so, and is false, where a program is missing that a host needs.
fn has(host: &str, programs: &[&str]) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    let found = |program: &&&str| env::split_paths(&paths).any(|dir| dir.join(program).is_file());
    let missing: Vec<_> = programs.iter().filter(|program| !found(program)).collect();
    if !missing.is_empty() {
        eprintln!("SKIPPED host {host}: {missing:?} not found");
    }
    missing.is_empty()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// What a host printed, less everything that is no card.
fn cards(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).expect("hosts print UTF-8");
    let mut cards = String::new();
    let mut inside = false;
    for line in text.lines() {
        inside |= line.starts_with("[NEWT FOLDED");
        if inside {
            cards.push_str(line);
            cards.push('\n');
        }
        inside &= !line.starts_with("[exact text");
    }
    cards
}

fn golden(name: &str) -> PathBuf {
    project().join("examples/golden").join(name)
}

fn assert_golden(output: &Output) {
    let expected = fs::read_to_string(golden("cards.txt")).expect("the golden cards are here");
    assert_eq!(cards(output), expected);
}

/// Compiles one source against the static library and runs it.
fn compiled(compiler: &str, source: &str) -> (tempfile::TempDir, Command) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("host");
    run(Command::new(compiler)
        .arg(project().join(source))
        .arg("-o")
        .arg(&program)
        .arg(format!("-I{}", project().join("include").display()))
        .arg(libraries().join("libnewt_fold.a"))
        .args(["-lpthread", "-ldl", "-lm"]));
    let mut command = Command::new(program);
    command.arg(golden("transcript.json"));
    (folder, command)
}

#[test]
fn c_prints_the_golden_cards() {
    if has("C", &["cc"]) {
        let (folder, mut harness) = compiled("cc", "examples/c/harness.c");
        assert_golden(&run(harness.arg(folder.path().join("spans"))));
    }
}

#[test]
fn cpp_prints_the_golden_cards() {
    if has("C++", &["c++"]) {
        let (_folder, mut fold) = compiled("c++", "examples/cpp/fold.cpp");
        assert_golden(&run(&mut fold));
    }
}

#[test]
fn python_prints_the_golden_cards() {
    const PROGRAM: &str = r#"
import json, sys
from newt_fold import fold

def mint(span):
    digest = 0xCBF29CE484222325
    for byte in span:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"{digest:016x}"

for message in json.loads(fold(open(sys.argv[1], "rb").read(), mint, results="any").json):
    print(message.get("content"))
"#;
    if has("Python", &["python3"]) {
        assert_golden(&run(Command::new("python3")
            .args(["-B", "-c", PROGRAM])
            .arg(golden("transcript.json"))
            .env("PYTHONPATH", project().join("examples/python"))
            .env("NEWT_FOLD_LIBRARY", libraries().join("libnewt_fold.so"))));
    }
}

#[test]
fn go_passes_its_tests() {
    if has("Go", &["go", "cc"]) {
        run(Command::new("go")
            .args(["test", "-count=1", "."])
            .current_dir(project().join("examples/go"))
            .env("GOTOOLCHAIN", "local")
            .env("GOFLAGS", "-mod=mod")
            .env("CGO_LDFLAGS", format!("-L{}", libraries().display())));
    }
}

#[test]
fn java_folds_the_golden_transcript() {
    if has("Java", &["javac", "java", "make", "cc"]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        run(Command::new("make")
            .args(["--no-print-directory", "example"])
            .arg(format!("BUILD={}", folder.path().display()))
            .arg(format!("NEWT_FOLD={}", libraries().display()))
            .current_dir(project().join("examples/jvm")));
        let folded = fs::read_to_string(folder.path().join("folded.json")).expect("written");
        assert_eq!(folded.matches("[NEWT FOLDED TOOL ROUNDS]").count(), 2);
    }
}

#[test]
fn swift_is_tested_where_it_is_installed() {
    // Its package finds an installed library by pkg-config.
    let installed = has("Swift", &["swift", "pkg-config"])
        && Command::new("pkg-config")
            .args(["--exists", "newt_fold"])
            .status()
            .is_ok_and(|s| s.success());
    if installed {
        run(Command::new("swift")
            .arg("test")
            .current_dir(project().join("examples/swift")));
    } else {
        eprintln!("SKIPPED host Swift: no swift, or no installed newt_fold; .ci/swift.sh has both");
    }
}
