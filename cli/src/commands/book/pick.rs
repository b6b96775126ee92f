//! `elomill book pick`: the openings of a measurement that tell a difference in strength with the fewest
//! games, as a book.

use super::record::{self, Setup};
use super::worth::{self, By, Played};
use crate::books::{self, Book};
use crate::output::{hinted, json, line, say};
use anyhow::Context;
use coordinator::dispatch::openings::Openings;
use model::Wdl;
use model::lease::{PairIndex, PairRange};
use serde::Serialize;
use stats::OpeningWorth;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What `elomill book measure` has kept
    measured: PathBuf,
    /// So many openings
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// What makes an opening a good one
    #[arg(long, value_enum, default_value_t = By::Information)]
    by: By,
    /// Only openings whose better side is expected to score so much: 0.5..0.8
    #[arg(long, value_name = "LOW..HIGH", value_parser = band)]
    balance: Option<Band>,
    /// Only openings with so many games
    #[arg(long, value_name = "N", default_value_t = 2)]
    min_games: u64,
    /// Of the order in the new book, and among equals
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the book goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object about the new book
    #[arg(long, requires = "out")]
    json: bool,
}

/// Scores of the better side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Band {
    low: f64,
    high: f64,
}

fn band(text: &str) -> Result<Band, String> {
    let wrong = || "allowed: two scores from 0.5 to 1, as 0.5..0.8".to_owned();
    let (low, high) = text.split_once("..").ok_or_else(wrong)?;
    let (low, high) = (low.parse().map_err(|_| wrong())?, high.parse().map_err(|_| wrong())?);
    let band = Band { low, high };
    // Written so that NaN fails.
    if (0.5..=1.0).contains(&low) && (low..=1.0).contains(&high) { Ok(band) } else { Err(wrong()) }
}

/// Means over openings, as expected of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Means {
    openings: usize,
    better_side_score: f64,
    draw_rate: f64,
    decided_pairs: f64,
    /// Elo; of a pair whose opening is drawn from these.
    pair_deviation: f64,
    /// Of a game, in 1 / (100 Elo)².
    information: f64,
}

impl Means {
    fn of<'a>(worths: impl ExactSizeIterator<Item = &'a OpeningWorth>) -> Self {
        let openings = worths.len();
        let (mut score, mut draws, mut decided, mut variance) = (0.0, 0.0, 0.0, 0.0);
        let (mut slope, count) = (0.0, openings.max(1) as f64);
        for worth in worths {
            score += better(worth) / count;
            draws += worth.draws / count;
            decided += worth.decided / count;
            variance += worth.pair_variance / count;
            slope += worth.sensitivity / count;
        }
        let mean = OpeningWorth {
            first_score: score,
            draws,
            decided,
            pair_variance: variance,
            sensitivity: slope,
            // A pair has half the variance of a game.
            information: slope * slope / (2.0 * variance),
        };
        Self {
            openings,
            better_side_score: score,
            draw_rate: draws,
            decided_pairs: decided,
            pair_deviation: mean.pair_deviation().0,
            information: 1e4 * mean.information,
        }
    }

    fn print(&self, name: &str) -> String {
        format!(
            "{name:9} {} openings: the better side scores {:.1} %, {:.1} % of the games are drawn, {:.1} % \
             of the pairs decided, {:.0} Elo is the deviation of a pair, {:.4} the information of a game",
            self.openings,
            100.0 * self.better_side_score,
            100.0 * self.draw_rate,
            100.0 * self.decided_pairs,
            self.pair_deviation,
            self.information
        )
    }
}

fn better(worth: &OpeningWorth) -> f64 {
    worth.first_score.max(1.0 - worth.first_score)
}

/// What was chosen.
#[derive(Debug, Serialize)]
struct Report {
    book: String,
    sha256: String,
    measured: Means,
    picked: Means,
}

impl Args {
    /// # Errors
    /// The file is no measurement, or too few openings pass.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (setup, pairs) = record::read(&self.measured)?;
        let played = worth::collect(&setup, &pairs, |_| true);
        let choice = self.choose(&setup, &played)?;
        let text = self.text(&setup, &choice);
        let Some(path) = &self.out else {
            say(choice.measured.print("measured"));
            say(choice.picked.print("picked"));
            line(text.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        };
        std::fs::write(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        let (book, sha256) = (path.display().to_string(), Book::hash_of(path)?);
        let report = Report { book, sha256, measured: choice.measured, picked: choice.picked };
        if self.json {
            json(&report)?;
        } else {
            line(report.measured.print("measured"))?;
            line(report.picked.print("picked"))?;
            line(format_args!("SHA-256   {}  {}", report.sha256, report.book))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn choose<'a>(&self, setup: &'a Setup, played: &[Played]) -> anyhow::Result<Choice<'a>> {
        let prior = worth::prior(played);
        let measured: Vec<(usize, OpeningWorth)> = (0..played.len())
            .filter(|&opening| played[opening].first != Wdl::default())
            .map(|opening| (opening, prior.worth(&played[opening].first)))
            .collect();
        let is_fit = |(opening, worth): &&(usize, OpeningWorth)| {
            played[*opening].tally.pairs().games().0 >= self.min_games
                && self.balance.is_none_or(|band| (band.low..=band.high).contains(&better(worth)))
        };
        let mut fit: Vec<_> = measured.iter().filter(is_fit).copied().collect();
        // Among equals the seed decides, then nothing else does.
        let places: Vec<u64> = order(self.seed, played.len());
        fit.sort_by(|(one, a), (other, b)| {
            let merit = self.by.merit(b).total_cmp(&self.by.merit(a));
            merit.then(places[*one].cmp(&places[*other]))
        });
        let mut seen = HashSet::new();
        fit.retain(|(opening, _)| seen.insert(books::key(setup.game, &setup.openings[*opening])));
        let count = self.count as usize;
        if fit.len() < count {
            return Err(hinted(
                format_args!(
                    "only {} of {} openings are measured, within the band and distinct; {count} are asked",
                    fit.len(),
                    played.len()
                ),
                "lower --count or --min-games, widen --balance, or measure more openings",
            ));
        }
        fit.truncate(count);
        fit.sort_by_key(|(opening, _)| places[*opening]);
        Ok(Choice {
            measured: Means::of(measured.iter().map(|(_, worth)| worth)),
            picked: Means::of(fit.iter().map(|(_, worth)| worth)),
            positions: fit.iter().map(|(opening, _)| setup.openings[*opening].as_str()).collect(),
        })
    }

    fn text(&self, setup: &Setup, choice: &Choice<'_>) -> String {
        let mut text = format!(
            "# {} openings of {}, picked by {} with seed {} from {} measured ones of the book\n# {}\n\
             # measured at {} nodes a move, odds {}, jitter {}, seed {}, by the engine with bench \
             signature {}\n",
            choice.positions.len(),
            setup.game,
            self.by.name(),
            self.seed,
            choice.measured.openings,
            setup.book,
            setup.nodes,
            setup.odds,
            setup.jitter,
            setup.seed,
            setup.engine
        );
        for position in &choice.positions {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{position}");
        }
        text
    }
}

#[derive(Debug)]
struct Choice<'a> {
    measured: Means,
    picked: Means,
    positions: Vec<&'a str>,
}

/// The place of each of so many openings in an order drawn from a seed.
fn order(seed: u64, count: usize) -> Vec<u64> {
    let names: Vec<String> = (0..count).map(|opening| opening.to_string()).collect();
    let mut places = vec![0; count];
    let Some(range) = u32::try_from(count).ok().filter(|&count| count > 0) else { return places };
    let range = PairRange { first: PairIndex(0), count: range };
    for (place, drawn) in (0..).zip(Openings::new(names.into(), seed).of(range)) {
        if let Some(slot) = drawn.position.parse().ok().and_then(|at: usize| places.get_mut(at)) {
            *slot = place;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::worth::tests::example;
    use super::*;

    fn args(count: u32, by: By, balance: Option<Band>) -> Args {
        Args {
            measured: PathBuf::new(),
            count,
            by,
            balance,
            min_games: 2,
            seed: 5,
            out: None,
            json: false,
        }
    }

    #[test]
    fn the_best_are_chosen_within_the_band() {
        let (setup, pairs) = example();
        let played = worth::collect(&setup, &pairs, |_| true);
        let best = args(1, By::Variance, None).choose(&setup, &played).unwrap();
        assert_eq!(best.positions, ["x../.../... o"]);
        assert!(best.picked.pair_deviation < best.measured.pair_deviation);
        let even = band("0.5..0.7").unwrap();
        let best = args(1, By::Variance, Some(even)).choose(&setup, &played).unwrap();
        assert_eq!(best.positions, [".x./.../... o"]);
        let error = args(2, By::Variance, Some(even)).choose(&setup, &played).unwrap_err();
        assert!(error.to_string().contains("only 1 of 2 openings"), "{error}");
        let text = args(2, By::Information, None);
        let choice = text.choose(&setup, &played).unwrap();
        let text = text.text(&setup, &choice);
        assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 2, "{text}");
        assert!(text.starts_with("# 2 openings of tictactoe, picked by information"), "{text}");
    }

    #[test]
    fn a_position_is_chosen_once() {
        let (mut setup, pairs) = example();
        setup.openings[1] = setup.openings[0].clone();
        let played = worth::collect(&setup, &pairs, |_| true);
        assert!(args(2, By::Information, None).choose(&setup, &played).is_err());
        assert!(args(1, By::Information, None).choose(&setup, &played).is_ok());
    }

    #[test]
    fn bands_are_scores_of_the_better_side() {
        assert_eq!(band("0.5..0.75"), Ok(Band { low: 0.5, high: 0.75 }));
        for wrong in ["0.4..0.6", "0.8..0.7", "0.6", "x..1", "0.5..NaN"] {
            assert!(band(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_order_is_a_permutation_of_its_seed() {
        let mut sorted = order(3, 100);
        assert_ne!(sorted, order(4, 100));
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert!(order(3, 0).is_empty());
    }
}
