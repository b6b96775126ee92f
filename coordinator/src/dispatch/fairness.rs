//! Whose turn it is: shares even between authors, and between the runs of one author by weight.
//!
//! Each author, and each run within its author, has used up some amount; whoever has used least of
//! its due comes next (stride scheduling: C. Waldspurger and W. Weihl, 1995). What somebody left unused
//! for want of work or of workers is not owed: it goes on from where the others are. Amounts are
//! nodes: guessed when pairs go out, put right when they come back. Pure; who can play what is not its
//! business.

use model::RunId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What authors and runs have used.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    authors: BTreeMap<Arc<str>, Author>,
    /// What an author would have used that has always had its due.
    level: f64,
}

#[derive(Clone, Debug, Default)]
struct Author {
    used: f64,
    runs: BTreeMap<RunId, Account>,
    /// What a run of this author would have used, over its weight, that has always had its due.
    level: f64,
}

#[derive(Clone, Copy, Debug)]
struct Account {
    weight: f64,
    /// Over the weight.
    used: f64,
    /// As it is, since the coordinator began.
    nodes: f64,
}

/// Why a run gets what it gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// Authors with a run that could use work.
    pub authors: usize,
    /// The weights of the author's runs that could use work, this one included, together.
    pub author_weight: f64,
    /// The share of all work that is due to the run, 0 to 1.
    pub share: f64,
    /// What the run has used since the coordinator began, nodes.
    pub used_nodes: f64,
    /// What every run in memory has used, nodes.
    pub all_nodes: f64,
    /// How far the author is behind one that has always had its due, nodes; below 0 when ahead.
    pub author_behind: f64,
    /// How far the run is behind those of its author, nodes over weight; below 0 when ahead.
    pub run_behind: f64,
}

impl Shares {
    /// Takes a run in, level with the others.
    pub fn enter(&mut self, run: RunId, author: &Arc<str>, weight: f64) {
        let level = self.level;
        let author = self
            .authors
            .entry(author.clone())
            .or_insert_with(|| Author { used: level, ..Author::default() });
        author.runs.insert(run, Account { weight, used: author.level, nodes: 0.0 });
    }

    /// Forgets a run.
    pub fn leave(&mut self, run: RunId) {
        for author in self.authors.values_mut() {
            author.runs.remove(&run);
        }
        self.authors.retain(|_, author| !author.runs.is_empty());
    }

    /// These runs in the order in which they are asked for work.
    #[must_use]
    pub fn order(&self, runs: impl IntoIterator<Item = RunId>) -> Vec<RunId> {
        let place = |run: RunId| {
            let author = self.authors.values().find(|author| author.runs.contains_key(&run));
            let used = author.map_or((0.0, 0.0), |author| (author.used, author.runs[&run].used));
            (used, run)
        };
        let mut places: Vec<_> = runs.into_iter().map(place).collect();
        places.sort_by(|((a, b), run), ((c, d), other)| {
            a.total_cmp(c).then(b.total_cmp(d)).then(run.cmp(other))
        });
        places.into_iter().map(|(_, run)| run).collect()
    }

    /// Notes that a run was given work, about so many nodes of it.
    pub fn give(&mut self, run: RunId, nodes: f64) {
        let level = self.level;
        let Some(author) = self.author_of(run) else { return };
        author.used = author.used.max(level);
        let (start, within) = (author.used, author.level);
        author.used += nodes;
        if let Some(account) = author.runs.get_mut(&run) {
            account.used = account.used.max(within);
            author.level = account.used;
            account.used += nodes / account.weight;
            account.nodes += nodes;
        }
        self.level = start;
    }

    /// Puts a guess right: the work was so many nodes more, or fewer.
    pub fn correct(&mut self, run: RunId, nodes: f64) {
        let Some(author) = self.author_of(run) else { return };
        author.used += nodes;
        if let Some(account) = author.runs.get_mut(&run) {
            account.used += nodes / account.weight;
            account.nodes += nodes;
        }
    }

    fn author_of(&mut self, run: RunId) -> Option<&mut Author> {
        self.authors.values_mut().find(|author| author.runs.contains_key(&run))
    }

    /// Why a run gets what it gets, where `wants` says which runs could use work.
    #[must_use]
    pub fn due(&self, run: RunId, wants: impl Fn(RunId) -> bool) -> Option<Due> {
        let author = self.authors.values().find(|author| author.runs.contains_key(&run))?;
        let account = author.runs.get(&run)?;
        let busy =
            |author: &&Author| author.runs.keys().any(|other| *other == run || wants(*other));
        let authors = self.authors.values().filter(busy).count();
        let competing = author.runs.iter().filter(|(other, _)| **other == run || wants(**other));
        let author_weight: f64 = competing.map(|(_, account)| account.weight).sum();
        let all = self.authors.values().flat_map(|author| author.runs.values());
        Some(Due {
            authors,
            author_weight,
            share: account.weight / author_weight / authors as f64,
            used_nodes: account.nodes,
            all_nodes: all.map(|account| account.nodes).sum(),
            author_behind: self.level - author.used,
            run_behind: author.level - account.used,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An author's number, a weight, and the nodes of a lease of each run.
    fn runs() -> impl Strategy<Value = Vec<(u8, f64, f64)>> {
        prop::collection::vec((0..4_u8, 0.1..10.0_f64, 1e3..1e6_f64), 1..9)
    }

    fn filed(runs: &[(u8, f64, f64)]) -> Shares {
        let mut shares = Shares::default();
        for (run, (author, weight, _)) in (1..).zip(runs) {
            shares.enter(RunId(run), &format!("author {author}").into(), *weight);
        }
        shares
    }

    fn ids(runs: &[(u8, f64, f64)]) -> Vec<RunId> {
        (1..).take(runs.len()).map(RunId).collect()
    }

    fn nodes_of(run: RunId, runs: &[(u8, f64, f64)]) -> f64 {
        runs[run.0 as usize - 1].2
    }

    proptest! {
        /// In the long run each has its due, within a tenth, however the guesses were off.
        #[test]
        fn i11_work_follows_the_weights(runs in runs(), off in 0.2..5.0_f64) {
            let (mut shares, ids) = (filed(&runs), ids(&runs));
            let largest = runs.iter().map(|(_, _, nodes)| *nodes).fold(0.0, f64::max);
            // Every due is many leases.
            let least = ids.iter().map(|id| shares.due(*id, |_| true).unwrap().share)
                .fold(1.0, f64::min);
            let mut all = 0.0;
            while all < 30.0 * largest.max(largest * off) / least {
                let run = shares.order(ids.iter().copied())[0];
                let nodes = nodes_of(run, &runs);
                shares.give(run, nodes * off);
                shares.correct(run, nodes - nodes * off);
                all += nodes;
            }
            for id in &ids {
                let due = shares.due(*id, |_| true).unwrap();
                let share = due.used_nodes / due.all_nodes;
                prop_assert!((share / due.share - 1.0).abs() < 0.1, "{id}: {share} of {due:?}");
            }
        }

        /// Whatever the weights, between two turns of a run the others get no more than their dues
        /// and a lease each.
        #[test]
        fn i10_nobody_starves(runs in runs()) {
            let (mut shares, ids) = (filed(&runs), ids(&runs));
            let mut since: BTreeMap<RunId, f64> = ids.iter().map(|id| (*id, 0.0)).collect();
            let in_flight: f64 = runs.iter().map(|(_, _, nodes)| *nodes).sum();
            for _ in 0..2_000 {
                let run = shares.order(ids.iter().copied())[0];
                let nodes = nodes_of(run, &runs);
                shares.give(run, nodes);
                since.values_mut().for_each(|given| *given += nodes);
                since.insert(run, 0.0);
                for (id, given) in &since {
                    let share = shares.due(*id, |_| true).unwrap().share;
                    let most = (nodes_of(*id, &runs) + 2.0 * in_flight) / share;
                    prop_assert!(*given <= most, "{id} waits for {given}, at most {most}");
                }
            }
        }

        /// Who had no work for long is not ahead of the others afterwards.
        #[test]
        fn a_share_that_was_left_is_not_owed(runs in runs(), rests in 1..500_usize) {
            let (mut shares, ids) = (filed(&runs), ids(&runs));
            let late = ids[0];
            let others: Vec<RunId> = ids[1..].to_vec();
            prop_assume!(!others.is_empty());
            for _ in 0..rests {
                let run = shares.order(others.iter().copied())[0];
                shares.give(run, nodes_of(run, &runs));
            }
            // From now on all have work: the late one gets its turns, not a run of them.
            let mut row = 0.0;
            let others_nodes: f64 = runs.iter().map(|(_, _, nodes)| *nodes).sum();
            for _ in 0..200 {
                let run = shares.order(ids.iter().copied())[0];
                let nodes = nodes_of(run, &runs);
                shares.give(run, nodes);
                row = if run == late { row + nodes } else { 0.0 };
                let weights: f64 = runs.iter().map(|(_, weight, _)| *weight).sum();
                let lightest = runs.iter().map(|(_, weight, _)| *weight).fold(10.0, f64::min);
                prop_assert!(row <= 2.0 * nodes_of(late, &runs)
                    + 2.0 * others_nodes * weights / lightest, "{row}");
            }
        }
    }

    #[test]
    fn authors_share_evenly_whatever_they_file() {
        let mut shares = Shares::default();
        let (one, many): (Arc<str>, Arc<str>) = ("one".into(), "many".into());
        shares.enter(RunId(1), &one, 1.0);
        for run in 2..12 {
            shares.enter(RunId(run), &many, 100.0);
        }
        for _ in 0..2_000 {
            let run = shares.order((1..12).map(RunId))[0];
            shares.give(run, 1e6);
        }
        let due = shares.due(RunId(1), |_| true).unwrap();
        assert_eq!((due.authors, due.share), (2, 0.5));
        assert!((due.used_nodes / due.all_nodes - 0.5).abs() < 0.01, "{due:?}");
        shares.leave(RunId(1));
        assert_eq!(shares.due(RunId(1), |_| true), None);
        assert_eq!(shares.due(RunId(2), |run| run == RunId(3)).unwrap().share, 0.5);
    }
}
