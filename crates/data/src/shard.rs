//! A range of games of one recipe in few bytes, known by the SHA-256 of them.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `elo-data` |
//! | 2 | version of this form, 1; all numbers of fixed size have their lowest byte first |
//! | 1 | the game: its place in [`GameKind::ALL`] |
//! | 1 | 0 |
//! | 4 | games |
//! | 8 | the number of the first game; the others follow it without a gap |
//! | 32 | SHA-256 of the recipe |
//! | … | the games |
//! | 32 | SHA-256 of all before |
//!
//! A game: half-moves; opening, after its length in bytes; moves as [`games::movecode`] writes them,
//! likewise; scores, depths and nodes as [`model::evals`] packs them, likewise; a byte for its end (the
//! winner, 0 the first to move, 1 the second, 2 nobody, times 16, and the place of the reason in
//! [`Termination::ALL`]); a bit for each half-move, the lowest of each byte first, that says whether the
//! position before it is kept. Numbers are written with seven bits a byte, the lowest first.

use crate::bytes::{self, Reader};
use crate::game::{Game, Played};
use crate::recipe::{MOST_PLIES, Recipe};
use games::replay::{Ending, Winner};
use model::{GameKind, Termination};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

const MAGIC: &[u8; 8] = b"elo-data";
const VERSION: u16 = 1;
const HASH: usize = 32;

/// Most games of one shard.
pub const MOST_GAMES: u32 = 100_000;

/// The winners by their codes.
const WINNERS: [Winner; 3] = [Winner::First, Winner::Second, Winner::Nobody];

/// Some games in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// What is played.
    pub kind: GameKind,
    /// SHA-256 of the recipe.
    pub recipe: [u8; 32],
    /// The number of the first game.
    pub first: u64,
    /// The games.
    pub games: Vec<Game>,
}

/// Bytes that are no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Another kind of file.
    #[error("this is no shard of games: it does not begin with `elo-data`")]
    Magic,
    /// From a later program.
    #[error("version {found} of the form of shards; this program reads version {VERSION}")]
    Version {
        /// What it says.
        found: u16,
    },
    /// The content is not what was written.
    #[error("its SHA-256 is not the one at its end: the file is damaged or torn")]
    Hash,
    /// It ends too early, or a number in it cannot be.
    #[error("it ends before its last game, or says of a game what cannot be")]
    Torn,
}

impl Shard {
    /// Puts games together, in the order of their numbers; of equal positions only the first stays kept.
    #[must_use]
    pub fn new(recipe: &Recipe, first: u64, games: Vec<Played>) -> Self {
        let mut seen = HashSet::new();
        let games = games.into_iter().map(|Played { mut game, hashes }| {
            for (kept, hash) in game.kept.iter_mut().zip(hashes) {
                *kept = *kept && seen.insert(hash);
            }
            game
        });
        Self { kind: recipe.game, recipe: recipe.hash(), first, games: games.collect() }
    }

    /// The bytes of a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[self.kind as u8, 0]);
        out.extend_from_slice(&(self.games.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&self.recipe);
        for game in &self.games {
            bytes::number(&mut out, game.plies());
            bytes::block(&mut out, game.opening.as_bytes());
            bytes::block(&mut out, &game.code);
            bytes::block(&mut out, &model::evals::pack(&game.evals));
            let Ending { winner, reason } = game.ending;
            let place = Termination::ALL.iter().position(|(known, _)| *known == reason);
            out.push((winner as u8) << 4 | place.unwrap_or_default() as u8);
            for eight in game.kept.chunks(8) {
                let bit = |(place, kept): (usize, &bool)| u8::from(*kept) << place;
                out.push(eight.iter().enumerate().map(bit).sum());
            }
        }
        let hash = Sha256::digest(&out);
        out.extend_from_slice(&hash);
        out
    }

    /// Reads the bytes of a file. What they say of games is not compared with any rule: that is for
    /// [`crate::audit`].
    ///
    /// # Errors
    /// Another kind of file, another version, or damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShardError> {
        if !bytes.starts_with(MAGIC) {
            return Err(ShardError::Magic);
        }
        let mut reader = Reader { rest: &bytes[MAGIC.len()..] };
        let version = u16::from_le_bytes(reader.array()?);
        if version != VERSION {
            return Err(ShardError::Version { found: version });
        }
        let Some(body) = bytes.len().checked_sub(HASH) else { return Err(ShardError::Hash) };
        let (said, hash) = bytes.split_at(body);
        if Sha256::digest(said)[..] != *hash {
            return Err(ShardError::Hash);
        }
        let mut reader = Reader { rest: &said[MAGIC.len() + 2..] };
        let [kind, zero] = reader.array()?;
        let kind = GameKind::ALL.get(usize::from(kind)).copied().ok_or(ShardError::Torn)?;
        let count = u32::from_le_bytes(reader.array()?);
        let first = u64::from_le_bytes(reader.array()?);
        let recipe = reader.array()?;
        if zero != 0 || count > MOST_GAMES {
            return Err(ShardError::Torn);
        }
        let mut games = Vec::new();
        for place in 0..u64::from(count) {
            let index = first.checked_add(place).ok_or(ShardError::Torn)?;
            games.push(game(&mut reader, index)?);
        }
        if !reader.rest.is_empty() {
            return Err(ShardError::Torn);
        }
        Ok(Self { kind, recipe, first, games })
    }

    /// SHA-256 of bytes, in lower-case hex: the name of a shard.
    #[must_use]
    pub fn name_of(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn game(reader: &mut Reader<'_>, index: u64) -> Result<Game, ShardError> {
    let plies = reader.number()?;
    if plies > u64::from(MOST_PLIES) {
        return Err(ShardError::Torn);
    }
    let plies = plies as usize;
    let opening = std::str::from_utf8(reader.block()?).map_err(|_| ShardError::Torn)?.to_owned();
    let code = reader.block()?.to_vec();
    let evals = model::evals::unpack(reader.block()?).ok_or(ShardError::Torn)?;
    let [end] = reader.array()?;
    let winner = WINNERS.get(usize::from(end >> 4)).copied().ok_or(ShardError::Torn)?;
    let (reason, _) = Termination::ALL[usize::from(end & 15)];
    let bits = reader.take(plies.div_ceil(8))?;
    if evals.len() != plies {
        return Err(ShardError::Torn);
    }
    let kept = (0..plies).map(|ply| bits[ply / 8] >> (ply % 8) & 1 != 0).collect();
    Ok(Game { index, opening, code, evals, kept, ending: Ending { winner, reason } })
}
