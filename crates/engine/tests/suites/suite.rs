//! A file of problems, and which of them are solved.

use engine::{Limits, SearchGame, SearchParams, SearchResult, Searcher, StopSignal};
use games::epd::{Record, records};
use games::{Game, MoveText};

/// What the page about the engine says.
const PAGE: &str = include_str!("../../../../docs/engine.md");

/// A file of problems. An operation `bm` names the best moves, `id` the problem; `unsolved` marks what
/// was not solved when the file was last looked through.
pub(crate) struct Suite<G: Game> {
    name: &'static str,
    problems: Vec<Record<G>>,
}

impl<G: SearchGame + MoveText> Suite<G> {
    /// Reads a file; every line of it has to be right.
    pub(crate) fn read(name: &'static str, text: &str) -> Self {
        let problems = records(text).map(|record| record.unwrap_or_else(|e| panic!("{name}: {e}")));
        Self { name, problems: problems.collect() }
    }

    /// The problems, and the moves that solve each.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&Record<G>, Vec<G::Move>)> {
        self.problems.iter().map(|record| {
            let best = record.moves("bm").unwrap_or_else(|e| panic!("{}: {e}", self.name));
            assert!(!best.is_empty(), "{}: line {} has no bm", self.name, record.line());
            (record, best)
        })
    }

    /// Asks each problem; all that are not marked have to be solved, and the page says how many those
    /// are: `| name | problems | solved | nodes |`.
    pub(crate) fn check(&self, nodes: &str, is_solved: impl Fn(&Record<G>, &[G::Move]) -> bool) {
        let (mut solved, mut lost, mut won) = (0, Vec::new(), Vec::new());
        for (record, best) in self.problems() {
            let id = record.operands("id").map_or("?", |id| id[0].text());
            match (is_solved(record, &best), record.operands("unsolved").is_some()) {
                (true, false) => solved += 1,
                (false, false) => lost.push(id),
                (true, true) => won.push(id),
                (false, true) => {}
            }
        }
        let name = self.name;
        assert!(lost.is_empty(), "{name}: not solved any more: {lost:?}; newly solved: {won:?}");
        let row = format!("| {name} | {} | {solved} | {nodes} |", self.problems.len());
        assert!(PAGE.contains(&row), "docs/engine.md lacks the row `{row}`; newly solved: {won:?}");
    }
}

/// A search of this position alone, with so many nodes and nothing remembered.
pub(crate) fn search<G: SearchGame>(position: &G, nodes: u64) -> SearchResult<G::Move> {
    let (params, limits) = (SearchParams::default(), Limits::nodes(nodes));
    Searcher::new(16).search(&mut position.clone(), &params, &limits, &StopSignal::never())
}
