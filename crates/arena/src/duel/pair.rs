//! Pairs of a match: two games from one opening with the sides swapped, and the two players of a
//! slot, who stay from pair to pair.

use super::game::{DuelGame, DuelRules, play};
use super::player::Player;
use super::{Entrant, Insight, StartError};
use crate::matchup::read_opening;
use crate::{ArenaError, Seat, Tablebases};
use engine::SearchGame;
use games::MoveText;
use games::pgn::{Outcome, Pgn};
use games::xiangqi::{RuleSet, Xiangqi};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe};
use model::lease::{Opening, PairIndex};
use model::{GameKind, GameScore, PairOutcome, Ply, Score, Termination};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A game of a pair as it is recorded, from the first entrant's view.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DuelRecord {
    /// The result for the first entrant.
    pub score: GameScore,
    /// Why the game ended.
    pub termination: Termination,
    /// More words about the end, where a player was at fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Half-moves from the opening.
    pub plies: Ply,
    /// Moves in UCI form, separated by one space.
    pub moves: String,
    /// Microseconds that the first entrant and the second have thought.
    pub thought_us: [u64; 2],
    /// Nodes that they say they have visited.
    pub nodes: [u64; 2],
    /// The game as a PGN text, if it was asked for.
    #[serde(skip)]
    pub pgn: Option<String>,
    /// What was thought of each move, and for how long.
    #[serde(skip)]
    pub thoughts: Vec<(Insight, Duration)>,
}

/// A finished pair.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DuelPair {
    /// Which pair.
    pub index: PairIndex,
    /// The position that both games began with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opening: String,
    /// The game in which the first entrant moved first, then the other.
    pub games: [DuelRecord; 2],
}

impl DuelPair {
    /// The five-way score of the pair.
    #[must_use]
    pub fn outcome(&self) -> PairOutcome {
        PairOutcome { first: self.games[0].score, second: self.games[1].score }
    }
}

/// Why a match cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// The opening or the parameters are wrong.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A program does not start or cannot play what is asked.
    #[error("engine {name}: {source}")]
    Start {
        /// The entrant.
        name: String,
        /// What is wrong.
        #[source]
        source: StartError,
    },
}

/// What a slot is told once.
#[derive(Clone, Debug)]
pub struct Duel {
    /// The game.
    pub game: GameKind,
    /// Who plays whom.
    pub entrants: [Entrant; 2],
    /// What holds for every game.
    pub rules: DuelRules,
    /// The book of rules for repetitions in xiangqi.
    pub rule_set: RuleSet,
    /// What ends games of chess early, if there are tables.
    pub tablebases: Option<Arc<Tablebases>>,
    /// Whether records carry a PGN text; its tags beside those of the game.
    pub pgn_tags: Option<Vec<(String, String)>>,
}

/// The two players of one slot.
pub struct DuelPlayer {
    table: Box<dyn PlayPair>,
}

impl DuelPlayer {
    /// Players that are started with the first pair.
    ///
    /// # Errors
    /// The engine built in does not take the parameters of a side.
    pub fn new(duel: &Duel) -> Result<Self, ArenaError> {
        let table: Box<dyn PlayPair> = match duel.game {
            GameKind::Xiangqi => {
                let rules = duel.rule_set;
                Box::new(Table::new(duel, move |game: Xiangqi| game.with_rules(rules))?)
            }
            GameKind::Chess => Box::new(Table::<Chess>::new(duel, |game| game)?),
            GameKind::Shogi => Box::new(Table::<Shogi>::new(duel, |game| game)?),
            GameKind::Othello => Box::new(Table::<Othello>::new(duel, |game| game)?),
            GameKind::TicTacToe => Box::new(Table::<TicTacToe>::new(duel, |game| game)?),
        };
        Ok(Self { table })
    }

    /// Goes on to another match with the same players: processes stay, and are told before their next
    /// game what is another number now. `false`, and nothing is changed: they are not the same players,
    /// and the match needs its own.
    ///
    /// # Errors
    /// The engine built in does not take the parameters of a side; these players are of no use then.
    pub fn retarget(&mut self, duel: &Duel) -> Result<bool, ArenaError> {
        self.table.retarget(duel)
    }

    /// Starts both programs, before the first pair does; what they call themselves.
    ///
    /// # Errors
    /// One of them does not start.
    pub fn start(&mut self, stop: &AtomicBool) -> Result<[Option<String>; 2], DuelError> {
        self.table.start(stop)
    }

    /// Plays the pair of one opening; `None` when `stop` came first.
    ///
    /// # Errors
    /// The opening is none, or a program cannot be started (again) or cannot play the opening.
    pub fn play(
        &mut self,
        opening: &Opening,
        stop: &AtomicBool,
    ) -> Result<Option<DuelPair>, DuelError> {
        self.table.play(opening, stop)
    }
}

trait PlayPair: Send {
    fn retarget(&mut self, duel: &Duel) -> Result<bool, ArenaError>;

    fn start(&mut self, stop: &AtomicBool) -> Result<[Option<String>; 2], DuelError>;

    fn play(&mut self, opening: &Opening, stop: &AtomicBool)
    -> Result<Option<DuelPair>, DuelError>;
}

struct Table<G: SearchGame> {
    duel: Duel,
    players: [Player<G>; 2],
    /// What a position read from a text still lacks.
    prepare: Box<dyn Fn(G) -> G + Send>,
}

impl<G: SearchGame + MoveText> Table<G> {
    fn new(duel: &Duel, prepare: impl Fn(G) -> G + Send + 'static) -> Result<Self, ArenaError> {
        let [first, second] = &duel.entrants;
        let players = [Player::new(first, "first engine")?, Player::new(second, "second engine")?];
        Ok(Self { duel: duel.clone(), players, prepare: Box::new(prepare) })
    }

    /// Plays one game with the first entrant in this seat.
    fn game(
        &mut self,
        opening: &G,
        index: PairIndex,
        seat: Seat,
        stop: &AtomicBool,
    ) -> Result<Option<DuelRecord>, DuelError> {
        let [one, other] = &mut self.players;
        let limits = [self.duel.entrants[0].limit, self.duel.entrants[1].limit];
        let (players, limits) = match seat {
            Seat::First => ([one, other], limits),
            Seat::Second => ([other, one], [limits[1], limits[0]]),
        };
        let (rules, tablebases) = (&self.duel.rules, self.duel.tablebases.as_deref());
        match play(opening, players, limits, rules, tablebases, stop) {
            Ok(None) | Err((_, StartError::Stopped)) => Ok(None),
            Ok(Some(game)) => Ok(Some(self.record(opening, index, seat, &game))),
            Err((at_fault, source)) => {
                let name = self.duel.entrants[usize::from(at_fault != seat)].name.clone();
                Err(DuelError::Start { name, source })
            }
        }
    }

    fn record(
        &self,
        opening: &G,
        index: PairIndex,
        seat: Seat,
        game: &DuelGame<G::Move>,
    ) -> DuelRecord {
        let mut position = opening.clone();
        let mut moves = String::with_capacity(game.moves.len() * 5);
        let (mut thought_us, mut nodes) = ([0; 2], [0; 2]);
        for (ply, played) in game.moves.iter().enumerate() {
            if ply > 0 {
                moves.push(' ');
            }
            moves.push_str(&position.move_to_text(played.mv));
            position.make(played.mv);
            let side = usize::from((ply % 2 == 0) != (seat == Seat::First));
            thought_us[side] += u64::try_from(played.elapsed.as_micros()).unwrap_or(u64::MAX);
            // A program may say anything.
            nodes[side] = u64::saturating_add(nodes[side], played.insight.nodes.unwrap_or(0));
        }
        let score = match game.winner {
            None => GameScore::Draw,
            Some(winner) if winner == seat => GameScore::Win,
            Some(_) => GameScore::Loss,
        };
        let tags = self.duel.pgn_tags.as_ref();
        DuelRecord {
            score,
            termination: game.termination,
            note: game.note.clone(),
            plies: Ply(game.moves.len() as u64),
            moves,
            thought_us,
            nodes,
            pgn: tags.map(|tags| self.pgn(opening, index, seat, game, tags)),
            thoughts: game.moves.iter().map(|played| (played.insight, played.elapsed)).collect(),
        }
    }

    fn pgn(
        &self,
        opening: &G,
        index: PairIndex,
        seat: Seat,
        game: &DuelGame<G::Move>,
        tags: &[(String, String)],
    ) -> String {
        // The text of a position always reads back; else the record begins with the first move.
        let mut pgn = Pgn::<G>::from_fen(&opening.to_fen()).unwrap_or_default();
        for played in &game.moves {
            if pgn.push(played.mv).is_err() {
                break;
            }
            pgn.add_comment(&comment(&played.insight, played.elapsed));
        }
        let names = self.duel.entrants.each_ref().map(|entrant| entrant.name.as_str());
        let first_is_white = opening.first_to_move() == (seat == Seat::First);
        let [white, black] = if first_is_white { names } else { [names[1], names[0]] };
        let number = 2 * index.0 + if seat == Seat::First { 1 } else { 2 };
        let round = number.to_string();
        let own = [
            ("White", white),
            ("Black", black),
            ("Round", round.as_str()),
            ("Termination", game.termination.name()),
        ];
        let given = tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in given.chain(own) {
            // A name that cannot stand in a tag stands there made printable.
            let _ = pgn.set_tag(name, &model::printable(value, 200));
        }
        if !game.note.is_empty() {
            pgn.add_comment(&game.note);
        }
        let first_moves_as_white = opening.first_to_move();
        pgn.set_outcome(match game.winner {
            None => Outcome::Draw,
            Some(winner) if (winner == Seat::First) == first_moves_as_white => Outcome::WhiteWins,
            Some(_) => Outcome::BlackWins,
        });
        pgn.to_string()
    }
}

/// `+0.31/12 0.105s, n=2000`, as other match runners have it.
fn comment(insight: &Insight, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let depth = insight.depth.unwrap_or(0);
    let mut text = match insight.score {
        None => format!("{seconds:.3}s"),
        Some(Score(score)) if score.abs() >= 29_000 => {
            let sign = if score > 0 { '+' } else { '-' };
            format!("{sign}M{}/{depth} {seconds:.3}s", 30_000 - score.abs())
        }
        Some(Score(score)) => format!("{:+.2}/{depth} {seconds:.3}s", f64::from(score) / 100.0),
    };
    if let Some(nodes) = insight.nodes {
        text.push_str(&format!(", n={nodes}"));
    }
    text
}

impl<G: SearchGame + MoveText> PlayPair for Table<G> {
    fn retarget(&mut self, duel: &Duel) -> Result<bool, ArenaError> {
        let suits = self.players.iter().zip(&duel.entrants).all(|(player, to)| player.suits(to));
        if !suits || duel.game != self.duel.game || duel.rule_set != self.duel.rule_set {
            return Ok(false);
        }
        let sides = ["first engine", "second engine"];
        for ((player, to), side) in self.players.iter_mut().zip(&duel.entrants).zip(sides) {
            player.retarget(to, side)?;
        }
        self.duel = duel.clone();
        Ok(true)
    }

    fn start(&mut self, stop: &AtomicBool) -> Result<[Option<String>; 2], DuelError> {
        for (player, entrant) in self.players.iter_mut().zip(&self.duel.entrants) {
            player
                .start(stop)
                .map_err(|source| DuelError::Start { name: entrant.name.clone(), source })?;
        }
        Ok(self.players.each_ref().map(|player| player.own_name().map(str::to_owned)))
    }

    fn play(
        &mut self,
        opening: &Opening,
        stop: &AtomicBool,
    ) -> Result<Option<DuelPair>, DuelError> {
        let position = (self.prepare)(read_opening::<G>(&opening.position)?);
        let index = opening.index;
        let Some(first) = self.game(&position, index, Seat::First, stop)? else { return Ok(None) };
        let Some(second) = self.game(&position, index, Seat::Second, stop)? else {
            return Ok(None);
        };
        Ok(Some(DuelPair { index, opening: opening.position.clone(), games: [first, second] }))
    }
}

impl<G: SearchGame> Drop for Table<G> {
    fn drop(&mut self) {
        for player in &mut self.players {
            player.dismiss();
        }
    }
}
