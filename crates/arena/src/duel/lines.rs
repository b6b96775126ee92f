//! Lines out of a stream of bytes from a program, however long, broken or many they are.
//!
//! Memory is bounded: what is longer than [`MOST_LINE`] is dropped up to its end and counted.

/// Longest line that is kept; the longest legitimate ones (a principal variation) have about 3 KiB.
pub(super) const MOST_LINE: usize = 64 * 1024;

/// Bytes that have come and were not taken yet.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins in `buffer`.
    start: usize,
    /// Up to where `buffer` is known to have no line end.
    scanned: usize,
    /// The line that has begun is too long.
    skipping: bool,
    /// Lines that were too long.
    dropped: u64,
}

impl Lines {
    /// Adds what has come.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            (self.start, self.scanned) = (0, 0);
        }
        let mut bytes = bytes;
        if self.skipping {
            match bytes.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    bytes = &bytes[end + 1..];
                    self.skipping = false;
                }
                None => return,
            }
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line without its end and the blanks around it.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        loop {
            let Some(end) = self.buffer[self.scanned..].iter().position(|&byte| byte == b'\n')
            else {
                self.scanned = self.buffer.len();
                if self.buffer.len() - self.start > MOST_LINE {
                    self.dropped += 1;
                    self.skipping = true;
                    self.buffer.truncate(self.start);
                    self.scanned = self.start;
                } else if self.start > MOST_LINE {
                    self.buffer.drain(..self.start);
                    self.scanned -= self.start;
                    self.start = 0;
                }
                return None;
            };
            let line = self.start..self.scanned + end;
            self.start = line.end + 1;
            self.scanned = self.start;
            if line.len() > MOST_LINE {
                self.dropped += 1;
                continue;
            }
            return Some(self.buffer[line].trim_ascii());
        }
    }

    /// What has come after the last line end: the last words of a program that has gone.
    pub(super) fn rest(&mut self) -> Option<&[u8]> {
        let rest = self.buffer[self.start..].trim_ascii();
        (!rest.is_empty() && !self.skipping).then_some(rest)
    }

    /// Forgets everything that has come.
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        (self.start, self.scanned) = (0, 0);
    }
}

/// The words of a line, divided by any blanks.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The first word of a line and what follows it.
pub(super) fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut Lines) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(line) = lines.next() {
            found.push(String::from_utf8_lossy(line).into_owned());
        }
        found
    }

    #[test]
    fn lines_come_whole_however_they_are_cut_and_ended() {
        let text = b"id name X\r\n\n  bestmove\te2e4  \nlast";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            for part in text.chunks(size) {
                lines.feed(part);
                found.extend(all(&mut lines));
            }
            assert_eq!(found, ["id name X", "", "bestmove\te2e4"], "{size}");
            assert_eq!(lines.rest(), Some(&b"last"[..]));
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut lines = Lines::default();
        lines.feed(b"before\n");
        for _ in 0..1000 {
            lines.feed(&[b'x'; 4096]);
            all(&mut lines);
            assert!(lines.buffer.capacity() < 4 * MOST_LINE);
        }
        lines.feed(b"y\nafter\n");
        assert_eq!((all(&mut lines), lines.dropped), (vec!["after".to_owned()], 1));
        let mut long = vec![b'z'; MOST_LINE + 1];
        long.extend_from_slice(b"\nagain\n");
        lines.feed(&long);
        assert_eq!((all(&mut lines), lines.dropped), (vec!["again".to_owned()], 2));
    }

    #[test]
    fn many_lines_take_no_memory() {
        let mut lines = Lines::default();
        for _ in 0..10_000 {
            lines.feed(b"info depth 1 score cp 3 pv e2e4\ninfo de");
            assert_eq!(all(&mut lines).len(), 1);
            lines.feed(b"pth 2\n");
            assert_eq!(all(&mut lines), ["info depth 2"]);
        }
        assert!(lines.buffer.capacity() < 4 * MOST_LINE);
    }

    #[test]
    fn words_are_divided_by_any_blanks() {
        let found: Vec<_> = words(b" bestmove \t e2e4\x0bponder").collect();
        assert_eq!(found, [&b"bestmove"[..], b"e2e4\x0bponder"]);
        assert_eq!(first_word(b"info  depth 3"), (&b"info"[..], &b"depth 3"[..]));
        assert_eq!(first_word(b"uciok"), (&b"uciok"[..], &b""[..]));
    }
}
