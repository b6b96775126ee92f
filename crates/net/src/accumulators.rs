//! The sums of the first layer along a line of moves.
//!
//! A move is only written down; the sums are made when a value is asked for, from the nearest position
//! before that has them. Where a side's king has come to another view since, its sums are made from those
//! that it last had in this view, by the pieces in which the two positions differ (a refresh table).

use crate::inputs::{Change, NetGame, View};
use crate::kernel::Block;
use crate::network::Network;
use arrayvec::ArrayVec;
use std::sync::Arc;

/// Bits of the items of a position; enough for every game.
const WORDS: usize = 20;

/// A position of the line.
#[derive(Clone, Debug, Default)]
struct Step {
    /// What led to it.
    change: Change,
    views: [View; 2],
    /// Whether the sums of a side are made.
    made: [bool; 2],
}

/// The last sums of a side in one view, and the items that they are of.
#[derive(Clone, Debug)]
struct Seen {
    sums: Vec<Block>,
    items: [u64; WORDS],
}

/// The sums of a network along a line of moves.
#[derive(Clone, Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    steps: Vec<Step>,
    /// The last position of the line.
    top: usize,
    /// Of each position, the sums of side 0, then of side 1.
    sums: Vec<Block>,
    /// For each side, bucket and mirror.
    seen: Vec<Seen>,
}

impl Accumulators {
    pub(crate) fn new(network: &Arc<Network>) -> Self {
        let views = 2 * 2 * usize::from(network.architecture().king_buckets);
        let seen = Seen { sums: network.bias().to_vec(), items: [0; WORDS] };
        Self {
            network: Arc::clone(network),
            steps: vec![Step::default()],
            top: 0,
            sums: vec![Block::default(); 2 * network.architecture().blocks()],
            seen: vec![seen; views],
        }
    }

    /// The network that these are sums of.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Starts from this position.
    pub fn reset<G: NetGame>(&mut self, position: &G) {
        self.top = 0;
        let buckets = self.network.architecture().king_buckets;
        let view = |side| G::view(side, position.king_point(side), buckets);
        let step = &mut self.steps[0];
        step.views = [view(0), view(1)];
        step.made = [false; 2];
    }

    /// A legal move is about to be made in `position`; `None` is the null move.
    #[inline]
    pub fn push<G: NetGame>(&mut self, position: &G, mv: Option<G::Move>) {
        let mut views = self.steps[self.top].views;
        self.top += 1;
        if self.top == self.steps.len() {
            self.steps.push(Step::default());
            self.sums.resize(self.sums.len() + 2 * self.blocks(), Block::default());
        }
        let step = &mut self.steps[self.top];
        step.change = mv.map(|mv| position.change(mv)).unwrap_or_default();
        if let Some((side, king)) = step.change.king {
            views[side] = G::view(side, king, self.network.architecture().king_buckets);
        }
        step.views = views;
        step.made = [false; 2];
    }

    /// The last move was taken back.
    #[inline]
    pub fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// Centipawns of the last position of the line, which this is, for the side to move.
    pub fn evaluate<G: NetGame>(&mut self, position: &G) -> i32 {
        for side in 0..2 {
            self.make(position, side);
        }
        let blocks = self.blocks();
        let (first, second) = self.sums[2 * blocks * self.top..][..2 * blocks].split_at(blocks);
        let (us, them) = if position.first_to_move() { (first, second) } else { (second, first) };
        self.network.value::<G>(us, them, position.piece_count())
    }

    #[inline]
    fn blocks(&self) -> usize {
        self.network.architecture().blocks()
    }

    /// Makes the sums of a side in the last position.
    #[inline]
    fn make<G: NetGame>(&mut self, position: &G, side: usize) {
        let view = self.steps[self.top].views[side];
        let mut from = self.top;
        while !self.steps[from].made[side] {
            if from == 0 || self.steps[from - 1].views[side] != view {
                return self.refresh(position, side);
            }
            from -= 1;
        }
        let blocks = self.blocks();
        for step in from + 1..=self.top {
            let row = |item: &u16| self.network.row::<G>(side, view, *item);
            let change = &self.steps[step].change;
            let on: ArrayVec<usize, 2> = change.on.iter().map(row).collect();
            let off: ArrayVec<usize, 2> = change.off.iter().map(row).collect();
            let (before, now) = self.sums.split_at_mut(2 * blocks * step);
            let before = &before[2 * blocks * (step - 1) + blocks * side..][..blocks];
            self.network.update(&mut now[blocks * side..][..blocks], before, &on, &off);
            self.steps[step].made[side] = true;
        }
    }

    /// Makes the sums of a side in the last position from those that it last had in this view.
    #[cold]
    fn refresh<G: NetGame>(&mut self, position: &G, side: usize) {
        let blocks = self.blocks();
        let View { bucket, mirrored } = self.steps[self.top].views[side];
        let view = View { bucket, mirrored };
        let place = (2 * usize::from(bucket) + usize::from(mirrored)) * 2 + side;
        let seen = &mut self.seen[place];
        let mut items = [0_u64; WORDS];
        position.items(|item| items[usize::from(item / 64)] |= 1 << (item % 64));
        let (mut on, mut off) = (Vec::with_capacity(64), Vec::with_capacity(64));
        for (word, (&now, before)) in items.iter().zip(seen.items).enumerate() {
            let mut changed = now ^ before;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let row = self.network.row::<G>(side, view, (64 * word) as u16 + bit as u16);
                if now >> bit & 1 != 0 { on.push(row) } else { off.push(row) }
            }
        }
        seen.items = items;
        let to = &mut self.sums[2 * blocks * self.top + blocks * side..][..blocks];
        self.network.update(to, &seen.sums, &on, &off);
        seen.sums.copy_from_slice(to);
        self.steps[self.top].made[side] = true;
    }
}
