//! JSON read byte by byte, as plainly as it can be: the judge of the library's
//! own reader.

/// Reads a document: how many elements its array has (`None` where it is no
/// array), or the byte at which it stops being JSON.
pub fn read(text: &str) -> Result<Option<usize>, usize> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
    };
    let is_array = reader.peek() == Some(b'[');
    let elements = reader.value()?;
    match reader.peek() {
        None => Ok(is_array.then_some(elements)),
        Some(_) => Err(reader.at),
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn here(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek(&mut self) -> Option<u8> {
        while matches!(self.here(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.here()
    }

    fn pass(&mut self, byte: u8) -> Result<(), usize> {
        if self.here() != Some(byte) {
            return Err(self.at);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a value; how many elements or members it has.
    fn value(&mut self) -> Result<usize, usize> {
        match self.peek() {
            Some(b'{') => self.list(b'}', |reader| {
                reader.peek();
                reader.string()?;
                reader.peek();
                reader.pass(b':')?;
                reader.value().map(drop)
            }),
            Some(b'[') => self.list(b']', |reader| reader.value().map(drop)),
            Some(b'"') => self.string().map(|()| 0),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => self.number(),
        }
    }

    fn list(
        &mut self,
        close: u8,
        item: impl Fn(&mut Self) -> Result<(), usize>,
    ) -> Result<usize, usize> {
        self.at += 1;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(0);
        }
        let mut items = 0;
        loop {
            item(self)?;
            items += 1;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            self.pass(b',')?;
        }
    }

    fn string(&mut self) -> Result<(), usize> {
        self.pass(b'"')?;
        loop {
            match self.here() {
                None | Some(0..0x20) => return Err(self.at),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    match self.here() {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                        Some(b'u') => {
                            for _ in 0..4 {
                                self.at += 1;
                                if !self.here().is_some_and(|b| b.is_ascii_hexdigit()) {
                                    return Err(self.at);
                                }
                            }
                        }
                        _ => return Err(self.at),
                    }
                }
                Some(_) => {}
            }
            self.at += 1;
        }
        self.pass(b'"')
    }

    fn word(&mut self, word: &str) -> Result<usize, usize> {
        for byte in word.bytes() {
            self.pass(byte)?;
        }
        Ok(0)
    }

    fn number(&mut self) -> Result<usize, usize> {
        if self.here() == Some(b'-') {
            self.at += 1;
        }
        match self.here() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.here() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.here(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.here(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(0)
    }

    fn digits(&mut self) -> Result<(), usize> {
        let from = self.at;
        while self.here().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == from { Err(from) } else { Ok(()) }
    }
}
