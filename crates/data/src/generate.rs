//! Plays the game of a number: a function of recipe, book and number alone.

use crate::game::{Game, Played};
use crate::recipe::{Recipe, RecipeError};
use crate::referee::Referee;
use engine::{Limits, NetworkError, SearchGame, SearchParams, Searcher, StopSignal};
use games::movecode::Encoder;
use games::{FenError, MoveList, for_game};
use net::Network;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Openings that are drawn for one game before it is given up.
const MOST_DRAWS: u32 = 1_000;

/// Why no game can be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeneratorError {
    /// The recipe is none.
    #[error("the recipe cannot be followed: {0}")]
    Recipe(#[from] RecipeError),
    /// A line of the book is no position.
    #[error("opening {index} of the book is no position: {source}")]
    Opening {
        /// Which, from 0.
        index: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// The network is not the recipe's: of another game, missing, or one too many.
    #[error("network: {0}")]
    Network(String),
    /// The book is empty.
    #[error("the book has no opening")]
    NoOpening,
    /// None of the openings drawn is near enough to level.
    #[error(
        "game {index}: {MOST_DRAWS} openings drawn, none within {allowed} centipawns of level; \
         allow more (verdicts.opening_score) or fewer random half-moves"
    )]
    Unbalanced {
        /// Its number.
        index: u64,
        /// What the recipe allows.
        allowed: i32,
    },
}

/// Plays games of a recipe, one at a time; its memory is reused from game to game without being
/// remembered.
pub struct Generator(Box<dyn Generate + Send>);

impl Generator {
    /// Ready to play, by the network that the recipe names if it names one.
    ///
    /// # Errors
    /// The recipe, the book or the network cannot be played by.
    pub fn new(
        recipe: &Recipe,
        book: &Arc<[String]>,
        network: Option<&Arc<Network>>,
    ) -> Result<Self, GeneratorError> {
        recipe.check()?;
        let found = network.map(|network| Network::name_of(&network.to_bytes()));
        if found != recipe.network {
            let name = |hash: Option<&String>| hash.cloned().unwrap_or_else(|| "none".to_owned());
            let (found, allowed) = (name(found.as_ref()), name(recipe.network.as_ref()));
            let text = format!("found {found}; the recipe has {allowed}");
            return Err(GeneratorError::Network(text));
        }
        if book.is_empty() {
            return Err(GeneratorError::NoOpening);
        }
        let (recipe, book, network) = (recipe.clone(), Arc::clone(book), network.cloned());
        Ok(Self(for_game!(recipe.game, G => Box::new(Seat::<G>::new(recipe, book, network)?))))
    }

    /// The game of a number; `None` when `stop` came first.
    ///
    /// # Errors
    /// An opening that is drawn is no position, or none drawn is near enough to level.
    pub fn play(
        &mut self,
        index: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Played>, GeneratorError> {
        self.0.play(index, stop)
    }
}

trait Generate {
    fn play(&mut self, index: u64, stop: &AtomicBool) -> Result<Option<Played>, GeneratorError>;
}

struct Seat<G: SearchGame> {
    recipe: Recipe,
    book: Arc<[String]>,
    params: SearchParams<G>,
    searcher: Searcher<G>,
}

impl<G: SearchGame> Seat<G> {
    fn new(
        recipe: Recipe,
        book: Arc<[String]>,
        network: Option<Arc<Network>>,
    ) -> Result<Self, GeneratorError> {
        let params = SearchParams::from_set(&recipe.parameters).map_err(|error| RecipeError {
            name: "parameters",
            found: error.to_string(),
            allowed: "constants of the engine in their ranges",
        })?;
        let refused = |error: NetworkError| GeneratorError::Network(error.to_string());
        let params = params.with_network(network).map_err(refused)?;
        let searcher = Searcher::new((recipe.hash_kib / 1024) as usize);
        Ok(Self { recipe, book, params, searcher })
    }

    /// A position from the book with some random moves; `None` when the game is over on the way.
    fn opening(&self, rng: &mut ChaCha8Rng) -> Result<Option<G>, GeneratorError> {
        let index = below(rng, self.book.len() as u64) as usize;
        let mut position = G::from_fen(&self.book[index])
            .map_err(|source| GeneratorError::Opening { index, source })?;
        let [least, most] = self.recipe.random_plies;
        for _ in 0..u64::from(least) + below(rng, u64::from(most - least) + 1) {
            if position.result().is_some() {
                return Ok(None);
            }
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            position.make(moves[below(rng, moves.len() as u64) as usize]);
        }
        // From here on as from a text: what was repeated before does not count.
        let text = position.to_fen();
        let position =
            G::from_fen(&text).map_err(|source| GeneratorError::Opening { index, source })?;
        Ok(position.result().is_none().then_some(position))
    }
}

impl<G: SearchGame> Generate for Seat<G> {
    fn play(&mut self, index: u64, stop: &AtomicBool) -> Result<Option<Played>, GeneratorError> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.recipe.seed);
        rng.set_stream(index);
        let limits = Limits::nodes(self.recipe.nodes.0);
        let signal = StopSignal::when(stop);
        for _ in 0..MOST_DRAWS {
            let Some(mut position) = self.opening(&mut rng)? else { continue };
            self.searcher.new_game();
            let mut referee = Referee::new(&self.recipe);
            let opening = position.to_fen();
            let (mut evals, mut kept, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
            let mut code = Encoder::default();
            let ending = loop {
                if let Some(ending) = referee.ending(&position) {
                    break Some(ending);
                }
                let found = self.searcher.search(&mut position, &self.params, &limits, &signal);
                // Relaxed: the flag carries no data.
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let score = found.score.0;
                if evals.is_empty() && score.abs() > self.recipe.verdicts.opening_score {
                    break None;
                }
                // A game that is not over has a move, and the search finds one.
                let Some(mv) = found.best.filter(|&mv| code.push(&position, mv)) else {
                    break None;
                };
                kept.push(referee.keeps(&position, mv, score));
                hashes.push(position.hash());
                evals.push(model::evals::MoveEval {
                    score: found.score,
                    depth: found.depth,
                    nodes: found.nodes,
                });
                referee.count(score);
                position.make(mv);
            };
            let Some(ending) = ending else { continue };
            let game = Game { index, opening, code: code.finish(), evals, kept, ending };
            return Ok(Some(Played { game, hashes }));
        }
        Err(GeneratorError::Unbalanced { index, allowed: self.recipe.verdicts.opening_score })
    }
}

/// A number below `of`, which is far below 2^32: the bias of the product is of no account.
fn below(rng: &mut ChaCha8Rng, of: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(of)) >> 64) as u64
}
