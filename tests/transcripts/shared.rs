//! Real transcripts, where they are at hand: beside the project, or where
//! `NEWT_FOLD_SHARED` says.

use std::path::PathBuf;

/// The folder of shared inputs, or `None` with a word about it.
pub fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("NEWT_FOLD_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there", folder.display());
    None
}

/// Every JSON file below a folder of shared inputs, in order.
pub fn files(name: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = folder(name).into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder that can be read") {
            let path = entry.expect("an entry that can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                let name = path
                    .file_name()
                    .expect("a file")
                    .to_string_lossy()
                    .into_owned();
                found.push((name, std::fs::read(&path).expect("a file that can be read")));
            }
        }
    }
    found.sort();
    found
}
