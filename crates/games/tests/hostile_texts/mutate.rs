//! Texts made from good ones by a few edits, equal in every run.

/// A stream of numbers (SplitMix64; Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Pieces of text that parsers trip over.
const TRAPS: [&str; 36] = [
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{1b}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{202e}",
    "\u{feff}",
    "\u{fffd}",
    "\u{3000}",
    "é",
    "К",
    "車",
    "１",
    "𝟙",
    "\\",
    "\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "%",
    "$",
    "-",
    "+",
    "/",
    "99999999999999999999",
    "-1",
    "0",
];

/// One text, edited up to six times; parts of the others find their way into it.
pub(crate) fn mutated(texts: &[&str], random: &mut Random) -> String {
    let mut chars: Vec<char> = random.pick(texts).chars().collect();
    for _ in 0..random.below(7) {
        let at = random.below(chars.len() + 1);
        let until = (at + random.below(8)).min(chars.len());
        match random.below(8) {
            0 => drop(chars.drain(at..until)),
            1 => drop(chars.splice(at..at, random.pick(&TRAPS).chars())),
            2 => drop(chars.splice(at..until, random.pick(&TRAPS).chars())),
            3 => {
                let other: Vec<char> = random.pick(texts).chars().collect();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(20)).min(other.len());
                chars.splice(at..until, other[from..to].iter().copied());
            }
            4 => chars.truncate(at),
            5 if until < chars.len() => chars.swap(at, until),
            6 => {
                let again: Vec<char> = chars[at..until].to_vec();
                chars.splice(at..at, again);
            }
            _ if at < chars.len() => {
                // Another letter of the same alphabet.
                chars[at] = chars[random.below(chars.len())];
            }
            _ => {}
        }
    }
    chars.into_iter().collect()
}

/// Bytes of any value, as the text that a lenient reader makes of them.
pub(crate) fn noise(random: &mut Random) -> String {
    let bytes: Vec<u8> = (0..random.below(120)).map(|_| random.next() as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
