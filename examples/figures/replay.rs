//! An agent's loop, played again: a request after each round.

use crate::mode::Mode;
use crate::transcript::Transcript;

/// Bytes that make a token, as in the library's defaults.
const BYTES_PER_TOKEN: f64 = 4.0;

/// What a token costs that the provider has in its cache, of its price.
const CACHED_PRICE: f64 = 0.1;

/// What a session's requests came to.
#[derive(Debug, Default, Clone, Copy)]
pub struct Bill {
    requests: usize,
    /// Of each request, the share of its bytes that the request before began
    /// with, summed up.
    cached: f64,
    /// Tokens of input at full price.
    pub tokens: f64,
    /// Tokens of the largest request.
    pub largest: usize,
    /// Tokens of the last one.
    pub last: usize,
}

impl Bill {
    /// The share of a request that the cache had, on average.
    pub fn cached(self) -> f64 {
        self.cached / self.requests as f64
    }

    fn take(&mut self, before: &str, request: &str) {
        let prefix = common_prefix(before.as_bytes(), request.as_bytes());
        let rest = request.len() - prefix;
        self.requests += 1;
        self.cached += prefix as f64 / request.len() as f64;
        self.tokens += (rest as f64 + CACHED_PRICE * prefix as f64) / BYTES_PER_TOKEN;
        self.last = tokens(request);
        self.largest = self.largest.max(self.last);
    }
}

/// Tokens of a text, as the library estimates them.
pub fn tokens(text: &str) -> usize {
    (text.len() as f64 / BYTES_PER_TOKEN).ceil() as usize
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    // A cache line's worth at a time: whole sessions are compared.
    let blocks = one.chunks_exact(64).zip(other.chunks_exact(64));
    let same = 64 * blocks.take_while(|(a, b)| a == b).count();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Sends a request after each group and says what they came to.
pub fn bill(
    mode: &Mode,
    open: &str,
    close: &str,
    groups: impl Iterator<Item = Vec<String>>,
) -> Bill {
    let mut transcript = Transcript::new(mode.clone(), open, close);
    let mut before = String::new();
    let mut bill = Bill::default();
    for group in groups {
        transcript.take(group);
        bill.take(&before, &transcript.document);
        before.clone_from(&transcript.document);
    }
    bill
}
