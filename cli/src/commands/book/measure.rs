//! `elomill book measure`: plays pairs from every opening between two strengths of the engine built in,
//! and tells what each opening is worth.
//!
//! An engine that is limited by nodes plays the same game again. What varies is the number of nodes: that
//! of each side of each pair is drawn anew, evenly within `jitter` of what it should be, by a stream of
//! the seed that belongs to this pair alone. One side has `odds` times the nodes of the other, so that
//! the book also shows how well it tells a difference in strength.

use super::record::{self, PlayedPair, Setup};
use super::worth::{self, By, Group};
use crate::books::{Book, Format, hex};
use crate::local_match::stop_flag;
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, table};
use arena::{ArenaError, Matchup, PairPlayer};
use coordinator::dispatch::openings::Openings;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::lease::{Opening, PairIndex, PairRange, PairRecord};
use model::spec::GameLimit;
use model::{GameKind, Nodes, ParameterSet, Ply, Tally};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::File;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Table of each player.
const HASH_KIB: u32 = 1024;

/// Exit status of a measurement that was ended before its last pair.
const UNFINISHED: u8 = 4;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The book [default: the one built in]
    file: Option<PathBuf>,
    /// What is played
    #[arg(long)]
    game: GameKind,
    /// How its openings stand there [default: as its ending tells, else epd]
    #[arg(long, value_enum, requires = "file")]
    format: Option<Format>,
    /// Of games, so many half-moves count [default: all]
    #[arg(long, value_name = "N", requires = "file")]
    plies: Option<usize>,
    /// Nodes for each move, between those of the two sides
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(10..=1_000_000_000))]
    nodes: u64,
    /// Pairs from each opening; more of them go on with what was played
    #[arg(long, value_name = "K", default_value = "8")]
    pairs_per_opening: NonZeroU32,
    /// Nodes of the stronger side over those of the other, from 1 to 100
    #[arg(long, default_value_t = 1.5)]
    odds: f64,
    /// How far the nodes of a pair are drawn from that, from 0 to 0.9
    #[arg(long, default_value_t = 0.1)]
    jitter: f64,
    /// Only so many openings, drawn from the book by the seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    openings: Option<u32>,
    /// Longer games are drawn
    #[arg(long, value_name = "PLIES", default_value_t = 300)]
    max_plies: u64,
    /// Of the nodes, and of the openings that are drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time [default: one for each processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Keeps the measurement in this file: the same command goes on where it was [default: GAME.measured]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print a line for each opening
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON object a line for each opening
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The book has an opening that is none, or the file keeps another measurement.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let setup = self.setup()?;
        let path = self.out.clone().unwrap_or_else(|| format!("{}.measured", self.game).into());
        let (file, mut pairs) = record::open(&path, &setup)?;
        let stop = stop_flag()?;
        let is_complete = self.play(&setup, file, &mut pairs, &stop)?;
        // The order in which threads finish has no say.
        pairs.sort_by_key(|pair| (pair.opening, pair.pair));
        if !is_complete {
            say(format_args!(
                "ended; the same command goes on, and pick takes what is in {}",
                path.display()
            ));
        }
        self.print(&setup, &pairs)?;
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(UNFINISHED) })
    }

    fn setup(&self) -> anyhow::Result<Setup> {
        // Written so that NaN fails.
        if !(1.0..=100.0).contains(&self.odds) {
            let hint = "1 for equal sides, 1.5 for a difference that shows";
            return Err(hinted(format_args!("--odds {}: allowed: 1 to 100", self.odds), hint));
        }
        if !(0.0..=0.9).contains(&self.jitter) {
            let hint = "0.1: with 0, all pairs of an opening are the same two games";
            return Err(hinted(format_args!("--jitter {}: allowed: 0 to 0.9", self.jitter), hint));
        }
        let book = match &self.file {
            None => Book::builtin(self.game),
            Some(path) => Book::read(self.game, path, self.format, self.plies)?,
        };
        let mut openings = book.positions();
        if let Some(count) = self.openings.filter(|&count| (count as usize) < openings.len()) {
            let range = PairRange { first: PairIndex(0), count };
            let drawn = Openings::new(openings.into(), self.seed).of(range);
            openings = drawn.into_iter().map(|opening| opening.position).collect();
        }
        Ok(Setup {
            game: self.game,
            book: book.sha256,
            engine: engine::bench::bench(self.game).0,
            nodes: self.nodes,
            odds: self.odds,
            jitter: self.jitter,
            max_plies: self.max_plies,
            seed: self.seed,
            openings,
        })
    }

    /// Plays what is missing, a pair from every opening before any gets its next one; whether all was
    /// played.
    fn play(
        &self,
        setup: &Setup,
        file: File,
        pairs: &mut Vec<PlayedPair>,
        stop: &AtomicBool,
    ) -> anyhow::Result<bool> {
        let known: HashSet<_> = pairs.iter().map(|pair| (pair.opening, pair.pair)).collect();
        let rounds = 0..self.pairs_per_opening.get();
        let missing: Vec<(usize, u32)> = rounds
            .flat_map(|pair| (0..setup.openings.len()).map(move |opening| (opening, pair)))
            .filter(|place| !known.contains(place))
            .collect();
        if missing.is_empty() {
            return Ok(true);
        }
        let limit = GameLimit::new(Nodes(setup.nodes), Ply(setup.max_plies), HASH_KIB);
        let defaults = ParameterSet::default();
        let matchup = Matchup::new(setup.game, limit, &defaults, &defaults)?;
        let threads = match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let bar = bar(known.len(), missing.len());
        let next = AtomicUsize::new(0);
        let kept = Mutex::new((file, Vec::new()));
        let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
        let slot = || {
            let mut player = PairPlayer::new(setup.game, HASH_KIB);
            while let Some(&(opening, pair)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                let played = play_one(&mut player, &matchup, setup, (opening, pair), stop)
                    .map_err(anyhow::Error::from)
                    .and_then(|played| {
                        let Some(played) = played else { return Ok(false) };
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        record::add(&mut kept.0, &played)?;
                        kept.1.push(played);
                        bar.inc(1);
                        Ok(true)
                    });
                match played {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        // Nobody begins another one.
                        next.store(missing.len(), Ordering::Relaxed);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(slot);
            }
        });
        bar.finish_and_clear();
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let (_, fresh) = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_complete = fresh.len() == missing.len();
        pairs.extend(fresh);
        Ok(is_complete)
    }

    fn print(&self, setup: &Setup, pairs: &[PlayedPair]) -> anyhow::Result<()> {
        let played = worth::collect(setup, pairs, |_| true);
        if self.json {
            return worth::rows(setup, &played).iter().try_for_each(json);
        }
        if self.csv {
            return print_csv(&worth::rows(setup, &played));
        }
        let all: Tally = played.iter().fold(Tally::default(), |mut sum, one| {
            sum += one.tally;
            sum
        });
        let prior = worth::prior(&played);
        line(format_args!(
            "{}: {} openings, {} games at {} nodes a move, the stronger side with {} times the nodes",
            setup.game,
            setup.openings.len(),
            all.pairs().games(),
            setup.nodes,
            setup.odds
        ))?;
        line(format_args!(
            "{:.1} % of the games differ from all others of their opening; an opening counts by itself \
             from {:.0} games on",
            100.0 * worth::distinct_games(pairs),
            prior.weight
        ))?;
        for by in [By::Information, By::Variance] {
            line("")?;
            line(format_args!(
                "fifths of the book by expected {}, measured by pairs that had no say in it",
                by.name()
            ))?;
            line(fifths(&worth::groups(setup, pairs, by), &all))?;
        }
        Ok(())
    }
}

/// Nodes for each move of the stronger side and of the other in a pair.
fn nodes_of(setup: &Setup, opening: usize, pair: u32) -> [Nodes; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(setup.seed);
    rng.set_stream((opening as u64) << 32 | u64::from(pair));
    [setup.odds.sqrt(), 1.0 / setup.odds.sqrt()].map(|factor| {
        let even = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let drawn = 1.0 + setup.jitter * (2.0 * even - 1.0);
        Nodes((setup.nodes as f64 * factor * drawn).round().max(1.0) as u64)
    })
}

fn play_one(
    player: &mut PairPlayer,
    matchup: &Matchup,
    setup: &Setup,
    (opening, pair): (usize, u32),
    stop: &AtomicBool,
) -> Result<Option<PlayedPair>, ArenaError> {
    let start =
        Opening { index: PairIndex(opening as u64), position: setup.openings[opening].clone() };
    let nodes = nodes_of(setup, opening, pair);
    let Some(played) = player.play_with(matchup, &start, nodes, stop)? else { return Ok(None) };
    let PairRecord { candidate_first: one, base_first: other, .. } = played;
    Ok(Some(PlayedPair {
        opening,
        pair,
        scores: [one.score, other.score],
        plies: [one.plies.0, other.plies.0],
        games: [one.moves, other.moves].map(|moves| hex(&Sha256::digest(moves.as_bytes())[..8])),
    }))
}

fn bar(known: usize, missing: usize) -> ProgressBar {
    let all = (known + missing) as u64;
    let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr_with_hz(4));
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} pairs {eta}") {
        bar.set_style(style);
    }
    bar.set_position(known as u64);
    bar.reset_eta();
    bar
}

fn fifths(groups: &[Group], all: &Tally) -> String {
    let columns = [
        Column::Text("fifth"),
        Column::Number("openings"),
        Column::Number("pairs"),
        Column::Number("bias"),
        Column::Number("draws"),
        Column::Number("pairs decided"),
        Column::Number("deviation of a pair, Elo"),
        Column::Number("Elo of the stronger side"),
        Column::Number("normalised, 95 %"),
    ];
    let row = |name: String, openings: String, bias: String, tally: &Tally| {
        let estimate = stats::estimate(&tally.pentanomial);
        vec![
            name,
            openings,
            tally.pairs().to_string(),
            bias,
            format!("{:.1} %", 100.0 * stats::draw_ratio(&tally.wdl)),
            format!("{:.1} %", 100.0 * worth::decided(tally)),
            format!("{:.0}", stats::pair_deviation(&tally.pentanomial).0),
            format!("{:+.1}", estimate.elo.0),
            format!("{:+.1} ± {:.1}", estimate.normalized.0, estimate.normalized_margin.0),
        ]
    };
    let mut rows: Vec<_> = (1..)
        .zip(groups.iter().filter(|group| group.openings > 0))
        .map(|(number, group)| {
            let bias = format!("{:.1} %", 100.0 * group.bias);
            row(number.to_string(), group.openings.to_string(), bias, &group.tally)
        })
        .collect();
    rows.push(row("all".to_owned(), String::new(), String::new(), all));
    table(&columns, &rows)
}

fn print_csv(rows: &[worth::Row<'_>]) -> anyhow::Result<()> {
    line(
        "opening,games,first_score,draw_rate,decided_pairs,expected_first_score,\
         expected_pair_variance,expected_pair_deviation,expected_information,position",
    )?;
    for row in rows {
        // Positions have neither commas nor quotes.
        line(format_args!(
            "{},{},{},{},{},{},{},{},{},{}",
            row.opening,
            row.games,
            row.first_score,
            row.draw_rate,
            row.decided_pairs,
            row.expected_first_score,
            row.expected_pair_variance,
            row.expected_pair_deviation,
            row.expected_information,
            row.position
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::worth::tests::example;
    use super::*;

    #[test]
    fn nodes_are_drawn_by_pair_and_within_bounds() {
        let (mut setup, _) = example();
        (setup.nodes, setup.odds, setup.jitter) = (1000, 4.0, 0.1);
        let drawn: Vec<_> = (0..50).map(|pair| nodes_of(&setup, 3, pair)).collect();
        assert!(
            drawn.iter().all(|[a, b]| (1800..=2200).contains(&a.0) && (450..=550).contains(&b.0))
        );
        let distinct: HashSet<_> = drawn.iter().map(|[a, _]| a.0).collect();
        assert!(distinct.len() > 40, "{distinct:?}");
        assert_eq!(nodes_of(&setup, 3, 7), drawn[7]);
        assert_ne!(nodes_of(&setup, 4, 7), drawn[7]);
        setup.jitter = 0.0;
        assert_eq!(nodes_of(&setup, 3, 7), [Nodes(2000), Nodes(500)]);
    }

    #[test]
    fn fifths_that_are_empty_have_no_line() {
        let (setup, pairs) = example();
        let groups = worth::groups(&setup, &pairs, By::Variance);
        let text = fifths(&groups, &groups[0].tally);
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.lines().nth(1).is_some_and(|line| line.contains("0.0 %")), "{text}");
    }
}
