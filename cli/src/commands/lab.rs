//! `elomill lab`: the classic family of minimax algorithms side by side, on a game or on synthetic
//! trees; the techniques of the engine's search; the optimisers of a tune.

mod ablate;
mod game;
mod sheet;
mod tree;
mod tuner;

use crate::output::hinted;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::classic::{Algorithm, Budget, Order};
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    synthetic: Option<Synthetic>,
    #[command(flatten)]
    game: Option<game::OnGame>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Subcommand)]
enum Synthetic {
    /// On synthetic trees, next to the smallest number of leaves that any algorithm needs
    Tree(tree::Args),
    /// What each technique of the engine's search is worth: nodes and Elo without it
    Ablate(ablate::Args),
    /// The optimisers of a tune on simulated engines: the Elo that each leaves to the optimum
    Tuner(tuner::Args),
}

impl Args {
    /// Success when all values agree.
    ///
    /// # Errors
    /// The position text is none, or there is nothing to run on.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match (self.synthetic, self.game) {
            (Some(Synthetic::Tree(args)), _) => args.run(),
            (Some(Synthetic::Ablate(args)), _) => args.run(),
            (Some(Synthetic::Tuner(args)), _) => args.run(),
            (None, Some(args)) => args.run(&self.common),
            (None, None) => Err(hinted(
                "lab needs something to search",
                "elomill lab --game tictactoe --depth 9, or elomill lab tree --branching 5 --depth 6",
            )),
        }
    }
}

/// What both kinds of trees take.
#[derive(Debug, clap::Args)]
struct Common {
    /// Which algorithms, divided by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all",
          value_parser = choice())]
    algorithms: Vec<Choice>,
    /// How the children of a node are ordered, for all algorithms alike
    #[arg(long, value_enum, default_value_t = OrderName::Good)]
    order: OrderName,
    /// An algorithm gives up after so many visits of nodes
    #[arg(long, default_value_t = Budget::default().visits,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    nodes: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Common {
    /// The algorithms asked for, each once, ancestors first.
    fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        let asked = |algorithm| {
            self.algorithms.iter().any(|choice| match choice {
                Choice::All => true,
                Choice::One(one) => *one == algorithm,
            })
        };
        Algorithm::ALL.into_iter().filter(move |algorithm| asked(*algorithm))
    }

    fn budget(&self) -> Budget {
        Budget { visits: self.nodes, ..Budget::default() }
    }
}

/// A word of `--algorithms`.
#[derive(Clone, Copy, Debug)]
enum Choice {
    All,
    One(Algorithm),
}

fn choice() -> impl TypedValueParser<Value = Choice> {
    let names = Algorithm::ALL.map(Algorithm::name);
    PossibleValuesParser::new(["all"].into_iter().chain(names)).map(|word| {
        let named = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == word);
        named.map_or(Choice::All, Choice::One)
    })
}

/// The orders by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum OrderName {
    /// What looks best comes first
    Good,
    /// By chance
    Random,
    /// What looks worst comes first
    Worst,
}

impl OrderName {
    fn name(self) -> &'static str {
        match self {
            OrderName::Good => "good",
            OrderName::Random => "random",
            OrderName::Worst => "worst",
        }
    }
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Good => Order::Good,
            OrderName::Random => Order::Random,
            OrderName::Worst => Order::Worst,
        }
    }
}
