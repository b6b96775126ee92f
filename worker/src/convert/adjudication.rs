//! What ends games early, judged on its way in.

use super::{Refusal, refuse};
use model::{Adjudication, DrawRule, FindingList, GameKind, ResignRule, printable};
use proto::v1;

/// The rules of a lease.
pub(super) fn adjudication(
    game: GameKind,
    wire: Option<v1::Adjudication>,
) -> Result<Adjudication, Refusal> {
    let v1::Adjudication { draw, resign, tablebases } = wire.unwrap_or_default();
    let centipawns = |score: u32| i32::try_from(score).unwrap_or(i32::MAX);
    let rules = Adjudication {
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
    };
    let mut findings = Vec::new();
    rules.check(game, &mut findings);
    if findings.is_empty() {
        return Ok(rules);
    }
    let found = printable(&FindingList(findings).to_string(), 300);
    Err(refuse("limit.adjudication", found, "rules within the bounds of a specification"))
}
