//! What ends games early, to the wire and back.

use model::{Adjudication, DrawRule, ResignRule};
use proto::v1;

/// Rules from the wire.
pub(super) fn adjudication_from_wire(wire: Option<v1::Adjudication>) -> Adjudication {
    let v1::Adjudication { draw, resign, tablebases } = wire.unwrap_or_default();
    let centipawns = |score: u32| i32::try_from(score).unwrap_or(i32::MAX);
    Adjudication {
        draw: draw.map(|v1::DrawRule { move_number, move_count, score }| DrawRule {
            move_number,
            move_count,
            score: centipawns(score),
        }),
        resign: resign.map(|v1::ResignRule { move_count, score, two_sided }| ResignRule {
            move_count,
            score: centipawns(score),
            two_sided,
        }),
        tablebases: Some(tablebases).filter(|men| *men > 0),
    }
}

/// Rules for the wire; none where every game is played to its end.
pub(super) fn wire_adjudication(rules: Adjudication) -> Option<v1::Adjudication> {
    let draw = rules.draw.map(|DrawRule { move_number, move_count, score }| v1::DrawRule {
        move_number,
        move_count,
        score: score.unsigned_abs(),
    });
    let resign = rules.resign.map(|ResignRule { move_count, score, two_sided }| v1::ResignRule {
        move_count,
        score: score.unsigned_abs(),
        two_sided,
    });
    let tablebases = rules.tablebases.unwrap_or(0);
    (!rules.is_off()).then_some(v1::Adjudication { draw, resign, tablebases })
}
