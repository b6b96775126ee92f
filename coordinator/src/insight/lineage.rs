//! The lineages of champions: accepted tests, chained by what each of them beat.
//!
//! A test that accepts its candidate makes a champion of it. The next link of the chain is an accepted
//! test whose base is that champion: the same values, to the bit. So the ledger needs no word about
//! campaigns, and a champion that somebody crowned by hand stands in the same line. Where two tests beat
//! the same base the lines part, and each is told from the common start on.
//!
//! The gains of a line are added up, and their intervals as those of independent tests: half-widths as
//! squares. That is more than it is worth: tests that pass are those with luck on their side. Matches
//! against the start of the line, over a fixed number of pairs, say what it has gained.

use model::{GameKind, ParameterSet, RunId};
use serde::Serialize;
use std::collections::BTreeMap;

/// A strength with its 95 % interval, Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// The estimate.
    pub elo: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// An accepted test, or a match that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The run.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// What was played.
    pub game: GameKind,
    /// The engine that both are parameters of.
    pub engine: String,
    /// Milliseconds since 1970, UTC.
    pub ended_at_unix_ms: i64,
    /// What was tried.
    pub candidate: ParameterSet,
    /// What it was tried against.
    pub base: ParameterSet,
    /// The tune that the candidate is from, if it is.
    pub candidate_run: Option<RunId>,
    /// How much stronger the candidate is: freed of the bias of stopping in a test.
    pub strength: Strength,
    /// Whether it has a verdict: a match has none.
    pub is_test: bool,
    /// Pairs played.
    pub pairs: u64,
}

/// A champion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The test that crowned it.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// The tune that it came from, if it did.
    pub candidate_run: Option<RunId>,
    /// Milliseconds since 1970, UTC.
    pub ended_at_unix_ms: i64,
    /// Over the champion before it.
    pub gain: Strength,
    /// Over the start of the line, added up.
    pub total: Strength,
    /// Its values.
    pub values: ParameterSet,
}

/// A match of a champion against the start of its line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regression {
    /// The match.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// The test that crowned the champion which played it.
    pub champion: RunId,
    /// Milliseconds since 1970, UTC.
    pub ended_at_unix_ms: i64,
    /// Pairs played.
    pub pairs: u64,
    /// Over the start of the line.
    pub strength: Strength,
}

/// Champions, each over the one before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// What they play.
    pub game: GameKind,
    /// The engine that they are parameters of.
    pub engine: String,
    /// Where the line begins.
    pub start: ParameterSet,
    /// The champions, oldest first.
    pub steps: Vec<Step>,
    /// Matches against the start, oldest first.
    pub regressions: Vec<Regression>,
}

/// The lineages that these proofs make, given in any order: those that moved last come first.
#[must_use]
pub fn lineages(proofs: &[Proof]) -> Vec<Lineage> {
    let mut proofs: Vec<&Proof> = proofs.iter().collect();
    proofs.sort_by_key(|proof| (proof.ended_at_unix_ms, proof.run));
    let tests: Vec<&Proof> = proofs.iter().copied().filter(|proof| proof.is_test).collect();
    // The parent of each test: the last one before it whose candidate it beat.
    let parent = |place: usize| {
        let test = tests[place];
        let wanted = (test.game, &test.engine, &test.base);
        let is_it = |before: &&Proof| (before.game, &before.engine, &before.candidate) == wanted;
        tests[..place].iter().rposition(is_it)
    };
    let parents: Vec<Option<usize>> = (0..tests.len()).map(parent).collect();
    let has_child = |place: usize| parents.contains(&Some(place));
    let mut lines: Vec<Lineage> = (0..tests.len())
        .filter(|place| !has_child(*place))
        .map(|leaf| line(&tests, &parents, leaf))
        .collect();
    for line in &mut lines {
        line.regressions = regressions(line, &proofs);
    }
    lines
        .sort_by_key(|line| std::cmp::Reverse(line.steps.last().map(|step| step.ended_at_unix_ms)));
    lines
}

fn line(tests: &[&Proof], parents: &[Option<usize>], leaf: usize) -> Lineage {
    let mut way = vec![leaf];
    while let Some(before) = parents[way[way.len() - 1]] {
        way.push(before);
    }
    way.reverse();
    let first = tests[way[0]];
    let (mut elo, mut below, mut above) = (0.0, 0.0, 0.0);
    let steps = way
        .iter()
        .map(|place| {
            let test = tests[*place];
            let Strength { elo: gain, low, high } = test.strength;
            elo += gain;
            below += (gain - low) * (gain - low);
            above += (high - gain) * (high - gain);
            Step {
                run: test.run,
                name: test.name.clone(),
                candidate_run: test.candidate_run,
                ended_at_unix_ms: test.ended_at_unix_ms,
                gain: test.strength,
                total: Strength { elo, low: elo - below.sqrt(), high: elo + above.sqrt() },
                values: test.candidate.clone(),
            }
        })
        .collect();
    Lineage {
        game: first.game,
        engine: first.engine.clone(),
        start: first.base.clone(),
        steps,
        regressions: Vec::new(),
    }
}

fn regressions(line: &Lineage, proofs: &[&Proof]) -> Vec<Regression> {
    let champions: BTreeMap<String, RunId> =
        line.steps.iter().map(|step| (key(&step.values), step.run)).collect();
    let own = proofs.iter().filter(|proof| {
        let alike = proof.game == line.game && proof.engine == line.engine;
        !proof.is_test && alike && proof.base == line.start
    });
    own.filter_map(|proof| {
        Some(Regression {
            run: proof.run,
            name: proof.name.clone(),
            champion: *champions.get(&key(&proof.candidate))?,
            ended_at_unix_ms: proof.ended_at_unix_ms,
            pairs: proof.pairs,
            strength: proof.strength,
        })
    })
    .collect()
}

/// Values as text that is the same for the same values alone.
fn key(values: &ParameterSet) -> String {
    values.0.iter().map(|(name, value)| format!("{name}={:016x};", value.to_bits())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(margin: f64) -> ParameterSet {
        [("margin".to_owned(), margin)].into_iter().collect()
    }

    fn proof(run: i64, base: f64, candidate: f64, elo: f64, is_test: bool) -> Proof {
        Proof {
            run: RunId(run),
            name: format!("run {run}"),
            game: GameKind::Chess,
            engine: "builtin".to_owned(),
            ended_at_unix_ms: run * 1000,
            candidate: set(candidate),
            base: set(base),
            candidate_run: None,
            strength: Strength { elo, low: elo - 3.0, high: elo + 4.0 },
            is_test,
            pairs: 100,
        }
    }

    #[test]
    fn champions_stand_in_line_and_their_gains_add_up() {
        let proofs = [
            proof(3, 20.0, 30.0, 7.0, true),
            proof(1, 10.0, 20.0, 5.0, true),
            // A match of the champion against the start, one of it against something else, and a
            // match of what nobody crowned.
            proof(4, 10.0, 30.0, 9.0, false),
            proof(5, 20.0, 30.0, 6.0, false),
            proof(6, 10.0, 99.0, 6.0, false),
        ];
        let lines = lineages(&proofs);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let [first, second] = &lines[0].steps[..] else { panic!("two steps") };
        assert_eq!((first.run, first.total), (RunId(1), first.gain));
        assert_eq!(second.run, RunId(3));
        let Strength { elo, low, high } = second.total;
        assert!((elo - 12.0).abs() < 1e-12);
        assert!((elo - low - 18_f64.sqrt()).abs() < 1e-12);
        assert!((high - elo - 32_f64.sqrt()).abs() < 1e-12);
        assert_eq!(lines[0].start, set(10.0));
        let [regression] = &lines[0].regressions[..] else { panic!("{:?}", lines[0].regressions) };
        assert_eq!((regression.run, regression.champion), (RunId(4), RunId(3)));
    }

    #[test]
    fn lines_part_where_two_tests_beat_one_base_and_games_stand_apart() {
        let mut other = proof(4, 20.0, 50.0, 1.0, true);
        other.game = GameKind::Shogi;
        let proofs = [
            proof(1, 10.0, 20.0, 5.0, true),
            proof(2, 20.0, 30.0, 7.0, true),
            proof(3, 20.0, 40.0, 2.0, true),
            other,
        ];
        let lines = lineages(&proofs);
        let runs: Vec<Vec<i64>> =
            lines.iter().map(|line| line.steps.iter().map(|step| step.run.0).collect()).collect();
        assert_eq!(runs, [vec![4], vec![1, 3], vec![1, 2]]);
        assert_eq!(lines[0].game, GameKind::Shogi);
    }

    #[test]
    fn a_champion_that_comes_back_makes_no_circle() {
        // 10 is beaten by 20, which is beaten by 10, which is beaten by 20 again.
        let proofs = [
            proof(1, 10.0, 20.0, 5.0, true),
            proof(2, 20.0, 10.0, 1.0, true),
            proof(3, 10.0, 20.0, 2.0, true),
        ];
        let lines = lineages(&proofs);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].steps.len(), 3);
    }
}
