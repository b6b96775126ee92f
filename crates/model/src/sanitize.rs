//! Text from a worker, an engine, a form or a file is data: this makes it safe to show.

/// At most `max_chars` characters of `text`, with control characters (escape sequences among them)
/// and bidirectional overrides replaced by `·`; a cut is marked by `…`.
#[must_use]
pub fn printable(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == max_chars {
            out.push('…');
            break;
        }
        let hostile = c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        out.push(if hostile { '·' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn escape_sequences_and_overrides_lose_their_power() {
        assert_eq!(printable("a\x1b[31mb\n\u{202e}c", 20), "a·[31mb··c");
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        assert_eq!(printable("将将将将", 2), "将将…");
    }
}
