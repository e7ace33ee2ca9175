//! Text written as JSON.

use super::block::{BLOCK, Block, level};
use crate::buffer::Buffer;
use fearless_simd::{Simd, dispatch};
use std::fmt::Write;

/// Writes what stands between the quotes of a JSON string that means `text`.
pub(crate) fn escape(text: &str, out: &mut Buffer) {
    dispatch!(level(), simd => escape_blocks(simd, text, out));
}

#[inline(always)]
fn escape_blocks<S: Simd>(simd: S, text: &str, out: &mut Buffer) {
    let bytes = text.as_bytes();
    let mut plain_from = 0;
    for at in (0..bytes.len()).step_by(BLOCK) {
        let block = Block::at(simd, bytes, at);
        let mut marks = block.equal(b'"') | block.equal(b'\\') | block.below(b' ');
        while marks != 0 {
            let place = at + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            // Behind the end stand zeros.
            let Some(byte) = bytes.get(place) else { break };
            out.push(&text[plain_from..place]);
            plain_from = place + 1;
            match byte {
                b'"' => out.push("\\\""),
                b'\\' => out.push("\\\\"),
                b'\n' => out.push("\\n"),
                b'\r' => out.push("\\r"),
                b'\t' => out.push("\\t"),
                control => {
                    let _ = write!(out, "\\u{control:04x}");
                }
            }
        }
    }
    out.push(&text[plain_from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn means_the_same(text in "[a-z\"\\\\\n\t\r\u{1}\u{7f}é ]{0,200}") {
            let mut out = Buffer::default();
            out.push("\"");
            escape(&text, &mut out);
            out.push("\"");
            let written = out.finish().unwrap();
            assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }
    }
}
