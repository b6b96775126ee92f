//! What ends games early, as an author writes it: with the names that users of match runners know.

use super::reader::{Reader, Section};
use crate::{Adjudication, DrawRule, MOST_COUNTED, MOST_SCORE, ResignRule};

const MOVES: u64 = MOST_COUNTED as u64;
const SCORES: u64 = MOST_SCORE as u64;

/// Reads `[adjudication]` with its tables `draw` and `resign`; nothing ends games early where there is
/// none.
pub(super) fn adjudication(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Adjudication {
    let Some(mut section) = root.section(reader, "adjudication") else {
        return Adjudication::default();
    };
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let score = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
    let draw = section.section(reader, "draw").map(|mut draw| {
        let rule = DrawRule {
            move_number: small(draw.whole(reader, "movenumber", Some(0), 0..=MOVES)),
            move_count: small(draw.whole(reader, "movecount", None, 1..=MOVES)),
            score: score(draw.whole(reader, "score", Some(0), 0..=SCORES)),
        };
        draw.finish(reader);
        rule
    });
    let resign = section.section(reader, "resign").map(|mut resign| {
        let words = [("yes", true), ("no", false)];
        let rule = ResignRule {
            move_count: small(resign.whole(reader, "movecount", None, 1..=MOVES)),
            score: score(resign.whole(reader, "score", None, 1..=SCORES)),
            two_sided: resign.choice(reader, "twosided", Some(false), &words).unwrap_or_default(),
        };
        resign.finish(reader);
        rule
    });
    let men = "a whole number from 3 to 7";
    reader.note(&section, "tablebases", men, Some(String::new()));
    section.allow(&["tablebases"]);
    let tablebases =
        section.has("tablebases").then(|| small(section.whole(reader, "tablebases", None, 3..=7)));
    if draw.is_none() && resign.is_none() && tablebases.is_none() {
        let mend = "[adjudication.resign]\n  movecount = 3\n  score = 400";
        reader.missing(&section, "resign", "a draw or a resign table, or tablebases", mend);
    }
    section.finish(reader);
    Adjudication { draw, resign, tablebases }
}
