//! Renders include/newt_fold.h from the doc comments in src/ffi, and refuses to
//! build when the committed header is another one.
//!
//! Nothing is written into the source tree unless NEWT_FOLD_WRITE_HEADER is
//! set. In a packaged crate, which has no `.ci`, there is nothing to check.

use std::path::Path;
use std::{env, fs, process};

const MEND: &str = "NEWT_FOLD_WRITE_HEADER=1 cargo check";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=cbindgen.toml");
    println!("cargo::rerun-if-changed=src/ffi");
    println!("cargo::rerun-if-changed=include");
    println!("cargo::rerun-if-env-changed=NEWT_FOLD_WRITE_HEADER");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let root = Path::new(&root);
    if !root.join(".ci").exists() {
        return;
    }
    let header = render(root);
    let path = root.join("include/newt_fold.h");
    if env::var_os("NEWT_FOLD_WRITE_HEADER").is_some() {
        fs::write(&path, header).expect("include/newt_fold.h can be written");
    } else if fs::read_to_string(&path).unwrap_or_default() != header {
        println!(
            "cargo::error=include/newt_fold.h differs from what src/ffi says; mend it with: {MEND}"
        );
        process::exit(1);
    }
}

fn render(root: &Path) -> String {
    let mut config =
        cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    config.header = Some(overview());
    let mut builder = cbindgen::Builder::new().with_config(config);
    // In the order a newcomer reads them.
    for room in [
        "status", "config", "mint", "fold", "prune", "sink", "expand", "outcome", "text", "tokens",
        "store",
    ] {
        builder = builder.with_src(root.join(format!("src/ffi/{room}.rs")));
    }
    let mut rendered = Vec::new();
    builder
        .generate()
        .expect("src/ffi can be rendered by cbindgen")
        .write(&mut rendered);
    let text = String::from_utf8(rendered).expect("a header is UTF-8");
    // Rust's safety sections repeat for `unsafe` what the text above them says
    // to everybody; a C reader needs it once.
    without_safety_sections(&text)
}

fn without_safety_sections(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let comment = line.trim_start().strip_prefix("//").map(str::trim);
        if comment == Some("# Safety") {
            inside = true;
            while out.last().is_some_and(|last| last.trim() == "//") {
                out.pop();
            }
        }
        inside &= comment.is_some();
        if !inside {
            out.push(line);
        }
    }
    out.join("\n") + "\n"
}

fn overview() -> String {
    let part = |name: &str| env::var(name).expect("cargo sets the version");
    format!(
        include_str!("src/ffi/overview.h.in"),
        major = part("CARGO_PKG_VERSION_MAJOR"),
        minor = part("CARGO_PKG_VERSION_MINOR"),
        patch = part("CARGO_PKG_VERSION_PATCH"),
    )
}
