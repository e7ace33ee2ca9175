//! A recorded transcript, cut where its agent sent requests.

use serde_json::value::RawValue;
use serde_json::{Value, from_str};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A recorded transcript: a bare array of messages, or a request body.
pub struct Recording {
    /// The file's name.
    pub name: String,
    /// The document as it is.
    pub document: String,
    /// What stands before its first message.
    pub open: String,
    /// What stands after its last one.
    pub close: String,
    /// Its messages.
    pub messages: Vec<String>,
}

impl Recording {
    /// Reads a recording, or says why it is none.
    pub fn read(path: &Path) -> Result<Self, String> {
        let explain = |what: String| format!("{}: {what}", path.display());
        let document = std::fs::read_to_string(path).map_err(|error| explain(error.to_string()))?;
        let (start, end) = array(&document).map_err(explain)?;
        let messages = messages(&document).map_err(explain)?;
        Ok(Self {
            name: path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            open: format!("{}[", &document[..start]),
            close: format!("]{}", &document[end..]),
            messages,
            document,
        })
    }

    /// The messages in the groups that came between two requests: what the
    /// model said, with what tools and users answered.
    pub fn groups(&self) -> Vec<Vec<String>> {
        let mut groups = vec![Vec::new()];
        let mut by_model = false;
        for message in &self.messages {
            let before = std::mem::replace(&mut by_model, is_by_model(message));
            if by_model && !before {
                groups.push(Vec::new());
            }
            groups
                .last_mut()
                .expect("one at least")
                .push(message.clone());
        }
        groups
    }
}

/// The recordings that were named, or those beside the project.
pub fn given() -> Result<Vec<Recording>, String> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        let shared = std::env::var_os("NEWT_FOLD_SHARED").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
            PathBuf::from,
        );
        let folder = shared.join("transcripts/pi-mono");
        match std::fs::read_dir(&folder) {
            Ok(entries) => paths.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => eprintln!(
                "skipped: no recorded transcripts in {}; name some as arguments",
                folder.display()
            ),
        }
        paths.sort();
    }
    paths.iter().map(|path| Recording::read(path)).collect()
}

/// The messages of a document, each as it stands.
pub fn messages(document: &str) -> Result<Vec<String>, String> {
    let (start, end) = array(document)?;
    let messages: Vec<&RawValue> =
        from_str(&document[start..end]).map_err(|error| error.to_string())?;
    Ok(messages
        .iter()
        .map(|message| message.get().to_owned())
        .collect())
}

/// Where the array of messages stands in a document.
fn array(document: &str) -> Result<(usize, usize), String> {
    let body = document.trim();
    let array = if body.starts_with('[') {
        body
    } else {
        let body: BTreeMap<String, &RawValue> =
            from_str(body).map_err(|error| error.to_string())?;
        ["messages", "input", "contents"]
            .iter()
            .find_map(|key| body.get(*key))
            .ok_or("no messages, input or contents in it")?
            .get()
    };
    let start = array.as_ptr() as usize - document.as_ptr() as usize;
    Ok((start, start + array.len()))
}

/// Whether the model said a message, in any wire format.
fn is_by_model(message: &str) -> bool {
    let value: Value = from_str(message).unwrap_or_default();
    matches!(value["role"].as_str(), Some("assistant" | "model"))
        || value["type"]
            .as_str()
            .is_some_and(|kind| kind == "reasoning" || kind.ends_with("_call"))
}
