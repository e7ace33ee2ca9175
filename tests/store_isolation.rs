//! No sequence of calls on one session returns what another minted.
#![cfg(feature = "store")]

use newt_fold::fetch::not_found;
use newt_fold::store::Store;
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// A few texts, so that both sessions mint the same ones.
const TEXTS: [&str; 4] = ["", "{\"n\":1}", "{\"n\":2}", "{\"n\":1}\n{\"n\":2}"];

#[derive(Debug, Clone)]
enum Step {
    Mint(usize),
    /// The address that the nth mint of either session gave, in one of the
    /// forms it is known by.
    Fetch(usize, usize),
    Forget,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<(bool, Step)>> {
    let step = prop_oneof![
        4 => (0..TEXTS.len()).prop_map(Step::Mint),
        6 => (any::<usize>(), 0usize..4).prop_map(|(nth, form)| Step::Fetch(nth, form)),
        1 => Just(Step::Forget),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec((any::<bool>(), step), 1..40)
}

/// The text that the session called `name` keeps is marked with it.
fn marked(name: &str, text: &str) -> String {
    format!("{{\"owner\":\"{name}\"}}\n{text}")
}

fn cid_of(path: &Path, name: &str, handle: &str) -> String {
    rusqlite::Connection::open(path)
        .unwrap()
        .query_row(
            "SELECT cid FROM spans, sessions ON id = session WHERE name = ?1 AND handle = ?2",
            [name, handle],
            |row| row.get(0),
        )
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_session_returns_its_own_spans_and_no_other(steps in steps(), mark in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spans.db");
        let open = |name| Store::open(Some(path.to_str().unwrap()), Some(name));
        let names = ["a", "b"];
        let mut stores = names.map(open);
        // What each session holds, and every address anyone was ever given.
        let mut held = [HashMap::new(), HashMap::new()];
        let mut addresses: Vec<String> = Vec::new();
        for (who, step) in steps {
            let who = usize::from(who);
            let store = &stores[who];
            match step {
                Step::Mint(text) => {
                    // Unmarked, the two sessions mint equal texts, whose
                    // addresses must differ all the same.
                    let text = match mark {
                        true => marked(names[who], TEXTS[text]),
                        false => TEXTS[text].to_owned(),
                    };
                    let handle = store.mint(&text).unwrap();
                    let cid = cid_of(&path, names[who], &handle);
                    for address in [handle, cid] {
                        prop_assert!(!held[1 - who].contains_key(&address));
                        held[who].insert(address.clone(), text.clone());
                        addresses.push(address);
                    }
                }
                Step::Fetch(nth, form) => {
                    let known = addresses.get(nth % addresses.len().max(1));
                    let bare = known.cloned().unwrap_or_else(|| "aaaaaaaa".into());
                    let expected = held[who].get(&bare).cloned().ok_or_else(not_found);
                    let address = match form {
                        0 => bare,
                        1 => format!("compaction:{bare}"),
                        2 => format!("spill:{bare}"),
                        // Never by prefix: one letter less finds nothing.
                        _ => {
                            prop_assert_eq!(store.fetch(&bare[1..]), Err(not_found()));
                            prop_assert_eq!(
                                store.fetch(&bare[..bare.len() - 1]),
                                Err(not_found())
                            );
                            continue;
                        }
                    };
                    prop_assert_eq!(store.fetch(&address), expected);
                }
                Step::Forget => {
                    store.forget().unwrap();
                    held[who].clear();
                }
                Step::Reopen => stores[who] = open(names[who]),
            }
        }
    }
}
