//! `elomill lab tree`: on synthetic trees.

use super::sheet::{Measure, Sheet};
use super::{Common, OrderName};
use crate::output::{hinted, json, line};
use clap::ValueEnum;
use engine::classic::{Algorithm, Leaves, Settings, Uniform};
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Children of every inner node
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    branching: u32,
    /// Plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=i64::from(Uniform::MAX_DEPTH)))]
    depth: u32,
    /// How many trees; the table shows means over them
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    trees: u32,
    /// What the leaves are worth
    #[arg(long, value_enum, default_value_t = LeavesName::Summed)]
    leaves: LeavesName,
    /// How many values a leaf has (independent) or an arc (summed)
    #[arg(long, default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(Uniform::MAX_RANGE)))]
    range: u32,
    /// Half of the aspiration window [default: a twentieth of the range]
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    margin: Option<i32>,
    /// The number of the first tree
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

/// The kinds of leaves by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LeavesName {
    /// The sum of the arcs on the way, so that what looks good mostly is
    Summed,
    /// A value of its own for each leaf; the order is random
    Independent,
}

impl Args {
    /// # Errors
    /// An order is asked for that independent leaves cannot have.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let leaves = self.leaves()?;
        let (branching, common) = (self.branching as usize, &self.common);
        let minimal = Uniform::minimal_leaves(branching, self.depth);
        let tree = |depth, number| Uniform::new(branching, depth, leaves, number);
        let margin = self.margin.unwrap_or((self.range / 20).max(1) as i32);
        let settings = |guess| Settings { guess, margin, table_mb: 0, budget: common.budget() };
        let trees: Vec<(Uniform, Settings)> = (0..u64::from(self.trees))
            .map(|index| {
                let number = self.seed.wrapping_add(index);
                let guess = match leaves {
                    Leaves::Independent { range } => (range / 2) as i32,
                    Leaves::Summed { .. } => {
                        let mut shallow = tree(self.depth.saturating_sub(2), number);
                        let run = Algorithm::NegaScout.run(&mut shallow, &settings(0), &mut |_| {});
                        run.value.unwrap_or(0)
                    }
                };
                (tree(self.depth, number), settings(guess))
            })
            .collect();
        let mut sheet = Sheet::default();
        for algorithm in common.algorithms() {
            sheet.measure(algorithm, trees.iter().cloned());
        }
        let order = common.order.name();
        if common.json {
            json(&serde_json::json!({
                "branching": self.branching, "depth": self.depth, "trees": self.trees,
                "leaves": if self.leaves == LeavesName::Summed { "summed" } else { "independent" },
                "range": self.range, "order": order, "seed": self.seed, "margin": margin,
                "minimal_leaves": minimal, "agree": sheet.agrees(), "rows": sheet.to_json(),
            }))?;
        } else {
            let kind = match leaves {
                Leaves::Summed { .. } => format!("summed leaves, order {order}"),
                Leaves::Independent { .. } => "independent leaves in random order".to_owned(),
            };
            line(format_args!(
                "{} of branching {branching}, depth {}, {kind}; minimal tree {minimal} leaves",
                if self.trees == 1 { "a tree".to_owned() } else { format!("{} trees", self.trees) },
                self.depth,
            ))?;
            sheet.print(Measure::Minimal(minimal))?;
        }
        Ok(sheet.verdict())
    }

    fn leaves(&self) -> anyhow::Result<Leaves> {
        let (range, order) = (self.range, self.common.order);
        match self.leaves {
            LeavesName::Summed => Ok(Leaves::Summed { range, order: order.into() }),
            LeavesName::Independent if order == OrderName::Random => {
                Ok(Leaves::Independent { range })
            }
            LeavesName::Independent => Err(hinted(
                format_args!("--order {}: nothing orders independent leaves", order.name()),
                "--order random, or --leaves summed",
            )),
        }
    }
}
