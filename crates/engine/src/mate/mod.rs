//! Mates by checks alone, proven: depth-first proof-number search (A. Nagai, 2002).
//!
//! The attacker gives check with every move, the defender has every legal reply. A node's *proof number*
//! is about the number of leaves that are still to be proven for a mate, its *disproof number* that for
//! none (L. V. Allis, 1994); the search follows the child that decides, as long as the two numbers stay
//! below thresholds which say when another one would. Of children that all have to be proven the hardest
//! counts, and one for each other (weak proof numbers, T. Ueda and others, 2008): a position that is
//! reached by several ways is not counted several times. The thresholds leave a quarter more than needed,
//! so that the search does not jump to and fro (J. Pawlewicz and L. Lew, 2006).
//!
//! Cycles and the order in which positions are reached cannot make an answer wrong, for what is proven or
//! refuted is always a mate *within so many half-moves*: 1, 3, 5 … That there is none at all is said
//! only when nothing rests on that bound, nor on a rule that ends a game by its length or by repetition.

mod table;

#[cfg(test)]
mod tests;

use crate::StopSignal;
use games::{Game, MoveList, RuleWinner};
use model::Nodes;
use table::{Fact, INFINITE, NEVER, Numbers, Table};

/// The longest mate that is looked for, in half-moves.
pub const MOST_MATE_PLIES: u32 = 253;

/// Up to here each length is tried in turn, so that the mate found is the shortest; then they grow by a
/// quarter.
const EXACT_PLIES: u32 = 15;

/// A stop signal is asked once in so many nodes.
const SIGNAL_INTERVAL: u64 = 128;

/// What a search for a mate may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MateLimits {
    /// Positions whose moves may be looked at; never one more.
    pub nodes: Option<Nodes>,
    /// Half-moves of the mate, at most [`MOST_MATE_PLIES`].
    pub plies: Option<u32>,
}

/// What a search for a mate has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MateAnswer<M> {
    /// The side to move mates by checks, and this is how: the longest defence that the search has seen.
    /// Where the limits end the search on the way, the line ends early; it has at least one move.
    Mate(Vec<M>),
    /// Checks alone do not mate.
    NoMate,
    /// The limits came first.
    Unknown,
}

/// Looks for mates; what it learns of one position serves the next.
pub struct MateSolver<G: Game> {
    table: Table,
    nodes: u64,
    limit: u64,
    stopped: bool,
    game: std::marker::PhantomData<fn(G)>,
}

/// Whose move it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Attacker,
    Defender,
}

impl Turn {
    fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }

    /// What the side to move wants to have proven, and what it wants to have refuted: the two are the
    /// same from either side.
    fn view(self, numbers: Numbers) -> Numbers {
        match self {
            Self::Attacker => numbers,
            Self::Defender => Numbers { proof: numbers.refutation, refutation: numbers.proof },
        }
    }
}

/// A move to be looked at.
struct Child<M> {
    mv: M,
    hash: u64,
    /// The rules decide it.
    ruled: Option<Fact>,
}

impl<G: Game> MateSolver<G> {
    /// A solver with a table of at most so many MiB; 0 makes the smallest.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        Self {
            table: Table::new(megabytes),
            nodes: 0,
            limit: u64::MAX,
            stopped: false,
            game: std::marker::PhantomData,
        }
    }

    /// Positions whose moves the last search has looked at.
    #[must_use]
    pub fn nodes(&self) -> Nodes {
        Nodes(self.nodes)
    }

    /// Whether the side to move mates by checks; `position` is as before when this returns.
    pub fn solve(
        &mut self,
        position: &mut G,
        limits: &MateLimits,
        stop: &StopSignal<'_>,
    ) -> MateAnswer<G::Move> {
        self.nodes = 0;
        self.stopped = false;
        self.limit = limits.nodes.map_or(u64::MAX, |nodes| nodes.0);
        self.table.new_search();
        let most = limits.plies.unwrap_or(MOST_MATE_PLIES).min(MOST_MATE_PLIES);
        let mut plies = 1;
        while plies <= most {
            let all = Numbers { proof: INFINITE, refutation: INFINITE };
            let fact = self.node(position, Turn::Attacker, plies, all, stop);
            if self.stopped {
                return MateAnswer::Unknown;
            }
            match fact {
                Fact::Mate(_) => {
                    let mut line = Vec::new();
                    self.follow(position, Turn::Attacker, plies, stop, &mut line);
                    return MateAnswer::Mate(line);
                }
                Fact::NoMate(NEVER) => return MateAnswer::NoMate,
                _ => {}
            }
            let step = if plies < EXACT_PLIES { 2 } else { plies / 8 * 2 };
            plies = if plies < most { (plies + step).min(most) } else { most + 1 };
            // Mates have an odd length.
            plies -= u32::from(plies.is_multiple_of(2) && plies <= most);
        }
        MateAnswer::Unknown
    }

    /// Searches a node until its numbers reach the thresholds; what is known of it then.
    fn node(
        &mut self,
        position: &mut G,
        turn: Turn,
        plies: u32,
        most: Numbers,
        stop: &StopSignal<'_>,
    ) -> Fact {
        let hash = position.hash();
        let before = self.nodes;
        if !self.spend(stop) {
            return Fact::Open(Numbers::FRESH);
        }
        let children = children(position, turn, plies);
        let most = turn.view(most);
        loop {
            let summary = self.summary(&children, turn, plies);
            let fact = summary.fact;
            let Fact::Open(numbers) = fact else {
                self.table.store(hash, plies, fact, self.nodes - before);
                return fact;
            };
            let own = turn.view(numbers);
            if own.proof >= most.proof || own.refutation >= most.refutation {
                self.table.store(hash, plies, fact, self.nodes - before);
                return fact;
            }
            let next = summary.second.saturating_add(summary.second / 4 + 1).min(INFINITE);
            let limits = Numbers {
                proof: most.proof.min(next),
                refutation: most.refutation.saturating_sub(summary.open - 1),
            };
            let child = &children[summary.best];
            position.make(child.mv);
            self.node(position, turn.other(), plies - 1, turn.view(limits), stop);
            position.unmake();
            if self.stopped {
                return Fact::Open(Numbers::FRESH);
            }
        }
    }

    fn spend(&mut self, stop: &StopSignal<'_>) -> bool {
        let asks = self.nodes.is_multiple_of(SIGNAL_INTERVAL) && stop.can_raise();
        if self.nodes >= self.limit || (asks && stop.is_raised()) {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        true
    }

    /// What the children say of their parent.
    fn summary(&self, children: &[Child<G::Move>], turn: Turn, plies: u32) -> Summary {
        if children.is_empty() || plies == 0 {
            // Without a reply it is mate; without a check there will never be one.
            let fact = match (turn, children.is_empty()) {
                (Turn::Defender, true) => Fact::Mate(0),
                (Turn::Attacker, true) => Fact::NoMate(NEVER),
                (_, false) => Fact::NoMate(0),
            };
            return Summary { fact, best: 0, second: INFINITE, open: 0 };
        }
        let mut summary = Summary { fact: Fact::NoMate(NEVER), best: 0, second: INFINITE, open: 0 };
        // From the view of the side to move: one child proven is enough, all have to be refuted.
        let (mut proof, mut hardest) = (INFINITE, 0);
        let (mut shortest, mut longest) = (None::<u32>, 0);
        let (mut nearest, mut widest) = (NEVER, None::<u32>);
        for (index, child) in children.iter().enumerate() {
            let fact = child.ruled.unwrap_or_else(|| self.known(child.hash, plies));
            match fact {
                Fact::Mate(length) => {
                    shortest = Some(shortest.map_or(length, |least| least.min(length)));
                    longest = longest.max(length);
                }
                Fact::NoMate(within) => {
                    nearest = nearest.min(within);
                    widest = Some(widest.map_or(within, |most| most.max(within)));
                }
                Fact::Open(numbers) => {
                    let own = turn.view(numbers);
                    summary.open += 1;
                    hardest = hardest.max(own.refutation);
                    if own.proof < proof {
                        summary.second = proof;
                        (proof, summary.best) = (own.proof, index);
                    } else {
                        summary.second = summary.second.min(own.proof);
                    }
                }
            }
        }
        let further = |within: u32| if within == NEVER { NEVER } else { within + 1 };
        let decided = match turn {
            Turn::Attacker => shortest.map(|length| Fact::Mate(length + 1)),
            Turn::Defender => widest.map(|within| Fact::NoMate(further(within))),
        };
        let open = Numbers {
            proof,
            refutation: hardest.saturating_add(summary.open - u32::from(summary.open > 0)),
        };
        summary.fact = match (decided, summary.open, turn) {
            (Some(fact), _, _) => fact,
            (None, 0, Turn::Attacker) => Fact::NoMate(further(nearest)),
            (None, 0, Turn::Defender) => Fact::Mate(longest + 1),
            (None, _, _) => Fact::Open(turn.view(open)),
        };
        summary
    }

    /// What the table says of a child of a node that has so many plies left.
    fn known(&self, hash: u64, plies: u32) -> Fact {
        self.table.probe(hash, plies - 1)
    }

    /// Appends the mate that was proven: the attacker's shortest, the defender's longest way.
    fn follow(
        &mut self,
        position: &mut G,
        turn: Turn,
        plies: u32,
        stop: &StopSignal<'_>,
        line: &mut Vec<G::Move>,
    ) {
        let children = children(position, turn, plies);
        let found = self.proven(&children, turn, plies).or_else(|| {
            // The table has lost it: prove it again.
            let all = Numbers { proof: INFINITE, refutation: INFINITE };
            self.node(position, turn, plies, all, stop);
            self.proven(&children, turn, plies)
        });
        if let Some(mv) = found {
            line.push(mv);
            position.make(mv);
            self.follow(position, turn.other(), plies - 1, stop, line);
            position.unmake();
        }
    }

    /// Of the moves after which a mate is known the one that the side to move likes best.
    fn proven(&self, children: &[Child<G::Move>], turn: Turn, plies: u32) -> Option<G::Move> {
        if plies == 0 {
            return None;
        }
        let mates = children.iter().filter_map(|child| {
            let fact = child.ruled.unwrap_or_else(|| self.known(child.hash, plies));
            if let Fact::Mate(length) = fact { Some((length, child.mv)) } else { None }
        });
        let best = match turn {
            Turn::Attacker => mates.min_by_key(|(length, _)| *length),
            Turn::Defender => mates.max_by_key(|(length, _)| *length),
        };
        best.map(|(_, mv)| mv)
    }
}

/// The moves that the side to move may consider: checks, or every reply.
fn children<G: Game>(position: &mut G, turn: Turn, plies: u32) -> Vec<Child<G::Move>> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    let mut children = Vec::new();
    for &mv in moves.iter() {
        position.make(mv);
        if turn == Turn::Defender || position.in_check() {
            let ruled = position.rule_draw_or_loss().map(|result| {
                let mates = match turn {
                    Turn::Attacker => result.winner == RuleWinner::Opponent,
                    Turn::Defender => result.winner == RuleWinner::SideToMove,
                };
                if mates { Fact::Mate(0) } else { Fact::NoMate(plies.saturating_sub(1)) }
            });
            children.push(Child { mv, hash: position.hash(), ruled });
        }
        position.unmake();
    }
    children
}

/// What the children of a node say of it.
struct Summary {
    fact: Fact,
    /// The child to look at.
    best: usize,
    /// The least number of the others.
    second: u32,
    /// How many children are open.
    open: u32,
}
