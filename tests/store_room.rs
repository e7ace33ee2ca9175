//! A disk without room, and a file that may not be written: mints decline,
//! the reason is told, and the same store works again when it is over.
#![cfg(all(feature = "store", target_os = "linux"))]

mod child;

use newt_fold::store::Store;
use newt_fold::{Config, ErrorKind, Results, Verdict, fold};
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const SPAN: &str = r#"{"role":"tool","content":"kept before"}"#;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn mount(arguments: &[&str]) {
    let status = Command::new("mount").args(arguments).status().unwrap();
    assert!(status.success(), "mount {arguments:?}");
}

/// Runs `test` again where it may mount, in a namespace that ends with it.
/// Says so where the system does not allow that.
fn in_a_mount_namespace(test: &str, folder: &Path) {
    let mut unshare = vec!["unshare", "--mount"];
    if !is_root() {
        unshare.extend(["--user", "--map-root-user"]);
    }
    let folder = folder.to_str().unwrap();
    let allowed = Command::new(unshare[0])
        .args(&unshare[1..])
        .args(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder])
        .output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED {test}: this system allows no mount in a namespace (unshare --mount)");
        return;
    }
    let status = child::command_under(&unshare, test, folder).status();
    assert!(status.unwrap().success());
}

fn fill(path: &Path) {
    let mut file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    // Down to the last byte, not just the last block.
    for block in [4096, 1] {
        while file.write_all(&vec![0; block]).is_ok() {}
    }
}

#[test]
fn a_full_disk_declines_until_there_is_room() {
    let Some(disk) = child::role() else {
        let folder = tempfile::tempdir().unwrap();
        in_a_mount_namespace("a_full_disk_declines_until_there_is_room", folder.path());
        return;
    };
    mount(&["-t", "tmpfs", "-o", "size=1m", "none", &disk]);
    let disk = Path::new(&disk);
    let filler = disk.join("filler");
    let open = |name: &str| Store::open(Some(disk.join(name).to_str().unwrap()), Some("full"));

    let store = open("spans.db");
    let kept = store.mint(SPAN).unwrap();
    fill(&filler);
    let large = "x".repeat(100_000);
    let error = store.mint(&large).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Store);
    assert!(error.sentence.contains("no room on its disk"), "{error}");
    assert_eq!(store.state(), Some(error));
    // A fold whose mint declines leaves the transcript as it was.
    let round = r#"{"role":"assistant","tool_calls":[{"function":{"name":"run"}}]},{"role":"tool","content":"LARGE"}"#;
    let document = format!("[{}]", round.replace("LARGE", &large));
    let config = Config {
        keep_last: 0,
        min_rounds: 1,
        results: Results::Any,
        ..Config::default()
    };
    let (out, summary) = fold(document.as_bytes(), &config, |span| store.mint(span).ok()).unwrap();
    assert_eq!(summary.verdict, Verdict::Declined);
    assert_eq!(out, document);
    // The refused mint closed its file, which gave the log's room back.
    fill(&filler);
    let late = open("late.db");
    let reason = late.state().unwrap();
    assert!(
        reason.sentence.contains("late.db could not be opened"),
        "{reason}"
    );
    assert!(late.mint(SPAN).is_err());

    fs::remove_file(&filler).unwrap();
    assert_eq!(store.fetch(&kept).unwrap(), SPAN);
    let handle = store.mint(&large).unwrap();
    assert_eq!(store.fetch(&handle).unwrap(), large);
    let handle = late.mint(SPAN).unwrap();
    assert_eq!(late.fetch(&handle).unwrap(), SPAN);
}

#[test]
fn a_read_only_file_system_declines_until_it_is_writable() {
    let Some(disk) = child::role() else {
        let folder = tempfile::tempdir().unwrap();
        in_a_mount_namespace(
            "a_read_only_file_system_declines_until_it_is_writable",
            folder.path(),
        );
        return;
    };
    mount(&["-t", "tmpfs", "-o", "size=1m", "none", &disk]);
    let path = format!("{disk}/spans.db");
    let kept = Store::open(Some(&path), Some("read")).mint(SPAN).unwrap();
    mount(&["-o", "remount,ro", "none", &disk]);
    let store = Store::open(Some(&path), Some("read"));
    let error = store.mint("another").unwrap_err();
    assert!(
        error.sentence.contains("cannot be opened for writing"),
        "{error}"
    );
    assert_eq!(store.state(), Some(error));
    mount(&["-o", "remount,rw", "none", &disk]);
    let handle = store.mint("another").unwrap();
    assert_eq!(store.fetch(&handle).unwrap(), "another");
    assert_eq!(store.fetch(&kept).unwrap(), SPAN);
}

#[test]
fn a_read_only_file_can_be_read_and_declines_until_it_is_writable() {
    let Some(path) = child::role() else {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spans.db");
        let test = "a_read_only_file_can_be_read_and_declines_until_it_is_writable";
        let mut again = child::command(test, path.to_str().unwrap());
        // Rights mean nothing to root.
        if is_root() {
            const NOBODY: u32 = 65534;
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
            again.uid(NOBODY).gid(NOBODY).current_dir("/");
        }
        assert!(again.status().unwrap().success());
        return;
    };
    let store = Store::open(Some(&path), Some("read"));
    let kept = store.mint(SPAN).unwrap();
    drop(store);
    fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
    let store = Store::open(Some(&path), Some("read"));
    assert_eq!(store.state(), None);
    assert_eq!(store.fetch(&kept).unwrap(), SPAN);
    let error = store.mint("another").unwrap_err();
    assert!(error.sentence.contains("is read-only"), "{error}");
    assert_eq!(store.state(), Some(error));
    // SQLite gave the log that it read from the mode of the file.
    for end in ["", "-wal", "-shm"] {
        fs::set_permissions(format!("{path}{end}"), Permissions::from_mode(0o600)).unwrap();
    }
    let handle = store.mint("another").unwrap();
    assert_eq!(store.fetch(&handle).unwrap(), "another");
    assert_eq!(store.fetch(&kept).unwrap(), SPAN);
}
