//! Where a match stands: counts, Elo and verdict, for people and for scripts.

use super::Plan;
use crate::output::{is_watched, json, line, say};
use crate::tables::{Column, duration, table};
use arena::duel::DuelPair;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{GameScore, Tally, Termination};
use stats::{SprtDecision, SprtSpec};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often a log gets a line.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Most failures that are told one by one.
const MOST_NOTES: u64 = 20;

/// What one engine has done wrong, and what it has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
struct Side {
    time_forfeits: u64,
    stalls: u64,
    disconnects: u64,
    illegal_moves: u64,
    resignations: u64,
    moves: u64,
    thought_us: u64,
    nodes: u64,
}

impl Side {
    /// Games lost by something else than the game.
    fn failures(&self) -> u64 {
        self.time_forfeits + self.stalls + self.disconnects + self.illegal_moves
    }
}

/// A failure to be told.
pub(super) struct Note {
    /// Whose: 0 or 1.
    pub(super) at: usize,
    text: String,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// All finished pairs of a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    /// Their numbers.
    pub(super) played: BTreeSet<u64>,
    tally: Tally,
    sides: [Side; 2],
    endings: std::collections::BTreeMap<&'static str, u64>,
    notes: u64,
}

impl Standing {
    pub(super) fn pairs(&self) -> u64 {
        self.tally.pairs().0
    }

    /// Counts a pair; what went wrong in it.
    pub(super) fn add(&mut self, pair: &DuelPair) -> Vec<Note> {
        if !self.played.insert(pair.index.0) {
            return Vec::new();
        }
        self.tally.add(pair.outcome());
        let mut notes = Vec::new();
        for (number, game) in pair.games.iter().enumerate() {
            *self.endings.entry(game.termination.name()).or_default() += 1;
            let plies = game.plies.0;
            // The first entrant moves first in the first game of a pair.
            let moves = if number == 0 {
                [plies.div_ceil(2), plies / 2]
            } else {
                [plies / 2, plies.div_ceil(2)]
            };
            for (at, side) in self.sides.iter_mut().enumerate() {
                side.moves += moves[at];
                side.thought_us += game.thought_us[at];
                side.nodes += game.nodes[at];
            }
            let loser = match game.score {
                GameScore::Loss => 0,
                GameScore::Win => 1,
                GameScore::Draw => continue,
            };
            let side = &mut self.sides[loser];
            let count = match game.termination {
                Termination::TimeForfeit => &mut side.time_forfeits,
                Termination::Stall => &mut side.stalls,
                Termination::Disconnect => &mut side.disconnects,
                Termination::IllegalMove => &mut side.illegal_moves,
                Termination::Resignation => {
                    side.resignations += 1;
                    continue;
                }
                _ => continue,
            };
            *count += 1;
            self.notes += 1;
            if self.notes <= MOST_NOTES {
                let text = format!(
                    "{} in game {}, half-move {}: {}",
                    game.termination.name(),
                    2 * pair.index.0 + number as u64 + 1,
                    plies + 1,
                    game.note
                );
                notes.push(Note { at: loser, text });
            }
        }
        notes
    }

    /// An engine that has lost at least so many games by a failure, and how many they are.
    pub(super) fn broken(&self, most: Option<u64>) -> Option<(usize, u64)> {
        let most = most?;
        self.sides.iter().map(Side::failures).enumerate().find(|(_, count)| *count >= most)
    }

    /// The verdict, once there is one.
    pub(super) fn decision(&self, sprt: Option<&SprtSpec>) -> Option<SprtDecision> {
        let decision = sprt?.report(&self.tally.pentanomial).decision;
        (decision != SprtDecision::Continue).then_some(decision)
    }

    fn verdict(&self, plan: &Plan) -> Option<&'static str> {
        match self.decision(plan.sprt.as_ref())? {
            SprtDecision::AcceptH1 => Some("accepted"),
            SprtDecision::AcceptH0 => Some("rejected"),
            SprtDecision::Continue => None,
        }
    }

    /// Elo with its interval, and the LLR of a test.
    fn summary(&self, plan: &Plan) -> String {
        let counts = &self.tally.pentanomial;
        let elo = stats::estimate(counts);
        let wdl = &self.tally.wdl;
        let mut text = format!(
            "+{} ={} -{}  Elo {:+.1} ± {:.1}",
            wdl.wins,
            wdl.draws,
            wdl.losses,
            elo.elo.0,
            (elo.high.0 - elo.low.0) / 2.0
        );
        if let Some(sprt) = &plan.sprt {
            let report = sprt.report(counts);
            let (llr, lower, upper) = (report.llr, report.lower, report.upper);
            text.push_str(&format!("  LLR {llr:+.2} in {lower:.2} … {upper:.2}"));
        }
        let faults = self.sides.each_ref().map(Side::failures);
        if faults.iter().any(|&count| count > 0) {
            text.push_str(&format!("  failures {}:{}", faults[0], faults[1]));
        }
        text
    }

    /// What each engine has won, done wrong and spent.
    fn table(&self, plan: &Plan) -> String {
        let names = plan.duel.entrants.each_ref().map(|entrant| entrant.name.as_str());
        let columns = [
            Column::Text("engine"),
            Column::Number("won"),
            Column::Number("drawn"),
            Column::Number("lost"),
            Column::Number("late"),
            Column::Number("stalled"),
            Column::Number("gone"),
            Column::Number("illegal"),
            Column::Number("ms/move"),
            Column::Number("nodes/move"),
        ];
        let wdl = &self.tally.wdl;
        let results = [[wdl.wins, wdl.draws, wdl.losses], [wdl.losses, wdl.draws, wdl.wins]];
        let rows: Vec<Vec<String>> = (0..2)
            .map(|at| {
                let side = &self.sides[at];
                let faults =
                    [side.time_forfeits, side.stalls, side.disconnects, side.illegal_moves];
                let moves = side.moves.max(1) as f64;
                let mut row = vec![names[at].to_owned()];
                row.extend(results[at].iter().chain(&faults).map(u64::to_string));
                row.push(format!("{:.2}", side.thought_us as f64 / 1000.0 / moves));
                row.push(format!("{:.0}", side.nodes as f64 / moves));
                row
            })
            .collect();
        table(&columns, &rows)
    }

    /// The same with counts, Elo and LLR below, to be looked at while it goes on.
    fn picture(&self, plan: &Plan) -> String {
        let counts = self.tally.pentanomial.0;
        format!("{}\n{counts:?}  {}", self.table(plan), self.summary(plan))
    }

    /// Prints the end.
    ///
    /// # Errors
    /// As the stream says.
    pub(super) fn print(&self, plan: &Plan, as_json: bool, seconds: f64) -> anyhow::Result<()> {
        let counts = &self.tally.pentanomial;
        let elo = stats::estimate(counts);
        let report = plan.sprt.as_ref().map(|sprt| sprt.report(counts));
        let names = plan.duel.entrants.each_ref().map(|entrant| entrant.name.as_str());
        if as_json {
            let engines: Vec<_> = names
                .iter()
                .zip(&self.sides)
                .map(|(name, side)| serde_json::json!({ "name": name, "counts": side }))
                .collect();
            return json(&serde_json::json!({
                "game": plan.duel.game,
                "engines": engines,
                "pairs": self.pairs(),
                "asked_pairs": plan.pairs,
                "wins": self.tally.wdl.wins,
                "draws": self.tally.wdl.draws,
                "losses": self.tally.wdl.losses,
                "pentanomial": counts,
                "elo": elo.elo.0,
                "elo_low": elo.low.0,
                "elo_high": elo.high.0,
                "normalized_elo": elo.normalized.0,
                "los": elo.los,
                "llr": report.map(|report| report.llr),
                "lower": report.map(|report| report.lower),
                "upper": report.map(|report| report.upper),
                "verdict": self.verdict(plan),
                "endings": self.endings,
                "seconds": seconds,
            }));
        }
        line(self.table(plan))?;
        line("")?;
        let games = self.tally.pairs().games();
        line(format_args!("games        {games} of {} in {}", 2 * plan.pairs, duration(seconds)))?;
        line(format_args!("pentanomial  {:?}  (LL, LD, LW+DD, DW, WW)", counts.0))?;
        let endings: Vec<_> =
            self.endings.iter().map(|(name, count)| format!("{name} {count}")).collect();
        line(format_args!("endings      {}", endings.join(", ")))?;
        line(format_args!(
            "Elo          {:+.1} ({:+.1} … {:+.1}, 95 %), normalised {:+.1}, likelihood of \
             superiority {:.1} %",
            elo.elo.0,
            elo.low.0,
            elo.high.0,
            elo.normalized.0,
            100.0 * elo.los
        ))?;
        if let Some(report) = report {
            line(format_args!(
                "LLR          {:+.2}, bounds {:.2} and {:.2}",
                report.llr, report.lower, report.upper
            ))?;
            line(format_args!("verdict      {}", self.verdict(plan).unwrap_or("none yet")))?;
        }
        Ok(())
    }
}

/// What is seen while a match goes on: a bar and a table on a terminal, a line now and then in a log.
pub(super) enum Live {
    Bar(ProgressBar),
    Lines(Option<Instant>, u64),
}

impl Live {
    pub(super) fn new(plan: &Plan, standing: &Standing) -> Self {
        if !is_watched() {
            return Live::Lines(None, standing.pairs());
        }
        let bar =
            ProgressBar::with_draw_target(Some(plan.pairs), ProgressDrawTarget::stderr_with_hz(8));
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} pairs in {elapsed}\n{msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Live::Bar(bar)
    }

    pub(super) fn update(&mut self, plan: &Plan, standing: &Standing, elapsed: Duration) {
        match self {
            Live::Bar(bar) => {
                bar.set_position(standing.pairs());
                bar.set_message(standing.picture(plan));
            }
            Live::Lines(last, told) => {
                let is_due = last.is_none_or(|at| at.elapsed() >= LINE_EVERY);
                if is_due && standing.pairs() != *told {
                    (*last, *told) = (Some(Instant::now()), standing.pairs());
                    let time = duration(elapsed.as_secs_f64());
                    let pairs = standing.pairs();
                    say(format_args!(
                        "{pairs} of {} pairs, {time}: {}",
                        plan.pairs,
                        standing.summary(plan)
                    ));
                }
            }
        }
    }

    /// Says something without tearing the bar.
    pub(super) fn note(&self, text: &str) {
        let text = model::printable(text, 400);
        match self {
            Live::Bar(bar) => bar.suspend(|| say(&text)),
            Live::Lines(..) => say(text),
        }
    }

    pub(super) fn close(&self) {
        if let Live::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
