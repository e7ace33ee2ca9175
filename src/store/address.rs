//! What a span is called: its content id, and the handles cut from it.
//!
//! A content id is a CIDv1 in its usual text form (base32, lower case, 59
//! characters): codec dag-cbor (0x71), multihash BLAKE3 (0x1e) of 32 bytes. It
//! is taken over one canonical dag-cbor value, the *record*, a list of four:
//!
//! | # | type  | what |
//! | - | ----- | ---- |
//! | 0 | text  | `newt-span/1`, the version of this record |
//! | 1 | bytes | the session's nonce, 32 random bytes |
//! | 2 | text  | the kind, `span` |
//! | 3 | text  | the span, UTF-8 |
//!
//! The nonce makes one text address differently in two sessions, so that an id
//! confirms nothing about what another session holds. The record is a list and
//! no map because a list runs straight into the hash, where a map would first
//! be copied to sort its keys.
//!
//! A handle is a prefix of the digest in the same base32, of 8 to 52
//! characters. (Cut from the digest, since all ids begin alike.) A span gets
//! the shortest that is free in its session. Spans of a session go only all
//! together, so the shorter prefixes of a handle stay taken as long as it is.

use cid::Cid;
use cid::multibase::Base;
use multihash::Multihash;
use serde_bytes::Bytes;

const RECORD_VERSION: &str = "newt-span/1";
const DAG_CBOR: u64 = 0x71;
const BLAKE3: u64 = 0x1e;

/// `b`, and 36 bytes in base32.
const CID_LENGTH: usize = 59;

/// 40 bits: short enough for a model to copy, and a million spans in one
/// session collide about once, which costs the later one a ninth character.
const SHORTEST_HANDLE: usize = 8;

/// A span's content id, and its digest as the text that handles are cut from.
pub(super) struct Identity {
    pub(super) cid: String,
    digest: String,
}

impl Identity {
    /// The identity of a record.
    pub(super) fn of(nonce: &[u8], kind: &str, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let record = (RECORD_VERSION, Bytes::new(nonce), kind, text);
        serde_ipld_dagcbor::to_writer(&mut hasher, &record)
            .expect("texts and bytes always encode, and a hash takes every write");
        let digest = Multihash::wrap(BLAKE3, hasher.finalize().as_bytes())
            .expect("a CID has room for 64 bytes, and a BLAKE3 digest is 32");
        Self::from(Cid::new_v1(DAG_CBOR, digest))
    }

    /// The identity that a content id tells of, if `name` is one.
    pub(super) fn named(name: &str) -> Option<Self> {
        // Decoding is not linear in every base that a name might be in.
        let cid = (name.len() == CID_LENGTH).then_some(name)?;
        Cid::try_from(cid).ok().map(Self::from)
    }

    /// What the span may be called, the shortest first.
    pub(super) fn handles(&self) -> impl Iterator<Item = &str> {
        (SHORTEST_HANDLE..=self.digest.len()).map(|len| &self.digest[..len])
    }

    /// Whether a span kept under these names is this one.
    pub(super) fn answers_to(&self, cid: &[u8], handle: &[u8]) -> bool {
        self.cid.as_bytes() == cid && self.handles().any(|ours| ours.as_bytes() == handle)
    }
}

impl From<Cid> for Identity {
    fn from(cid: Cid) -> Self {
        Self {
            digest: Base::Base32Lower.encode(cid.hash().digest()),
            cid: cid.to_string(),
        }
    }
}
