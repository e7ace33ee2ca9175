//! The way back: each card replaced by its span, again and again.

use super::reading::Reading;
use newt_fold::Wire;
use std::collections::HashMap;

/// The messages of a document once every card whose span is known has given
/// way to it.
pub fn messages(document: &str, wire: Wire, spans: &HashMap<String, String>) -> Vec<String> {
    let reading = Reading::of(document, Some(wire));
    let raw: Vec<String> = reading.messages.iter().map(|m| m.raw.to_owned()).collect();
    let (mut out, mut at, mut changed) = (Vec::new(), 0, false);
    while at < raw.len() {
        match reading.card_at(at) {
            Some((width, card)) if spans.contains_key(&card.handle) => {
                out.extend(spans[&card.handle].split('\n').map(str::to_owned));
                at += width;
                changed = true;
            }
            _ => {
                out.push(raw[at].clone());
                at += 1;
            }
        }
    }
    if changed {
        messages(&format!("[{}]", out.join(",")), wire, spans)
    } else {
        out
    }
}
