//! The file that a network stands in.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `elo-net` and a zero |
//! | 2 | version of this form, 1; all numbers have their lowest byte first |
//! | 1 | the game: 1 xiangqi, 2 chess, 3 shogi, 4 othello, 5 tic-tac-toe |
//! | 1 | king buckets |
//! | 2 | neurons of a side |
//! | 1 | output buckets |
//! | 1 | what neurons do with their sums: 1, clipped to 0 … 1 and squared |
//! | 2 | what stands for 1 among the values: 255 |
//! | 2 | what stands for 1 among the output weights: 64 |
//! | 4 | centipawns that an output of 1 stands for |
//! | 32 | SHA-256 of what it was trained from; zeros where that is not known |
//! | 8 | zeros |
//! | … | rows, 16 bits each: for each king bucket, piece and point the numbers of all neurons |
//! | … | what each neuron begins with, 16 bits each |
//! | … | output weights, 16 bits each: for each bucket those of the side to move, then of the other |
//! | … | what each output begins with, 32 bits each |
//! | 32 | SHA-256 of all before |

use crate::network::{BoundError, Network, Parts, QUANTUM_IN, QUANTUM_OUT};
use crate::{Architecture, ArchitectureError};
use model::GameKind;
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"elo-net\0";
const VERSION: u16 = 1;
const HEADER: usize = 64;
const HASH: usize = 32;
/// Clipped and squared.
const SQUARED: u8 = 1;

/// Bytes that are no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Another kind of file.
    #[error("this is no network of Elomill: it does not begin with `elo-net`")]
    Magic,
    /// From a later program.
    #[error("version {found} of the form of networks; this program reads version {VERSION}")]
    Version {
        /// What it says.
        found: u16,
    },
    /// Fewer or more bytes than the shape has.
    #[error(
        "found {found} bytes; a network of its shape has {allowed}: the file is torn or damaged"
    )]
    Length {
        /// Bytes of the file.
        found: usize,
        /// Bytes that a network of this shape has.
        allowed: usize,
    },
    /// The content is not what was written.
    #[error("its SHA-256 is not the one at its end: the file is damaged")]
    Hash,
    /// A field of the header that this program does not know.
    #[error("{name}: found {found}; allowed: {allowed}")]
    Field {
        /// Which.
        name: &'static str,
        /// What it is.
        found: u64,
        /// What it may be.
        allowed: &'static str,
    },
    /// No network has this shape.
    #[error("the shape of the network: {0}")]
    Shape(#[from] ArchitectureError),
    /// The numbers are no network.
    #[error(transparent)]
    Bounds(#[from] BoundError),
}

impl Network {
    /// The bytes of a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = self.parts();
        let Architecture { game, king_buckets, hidden, output_buckets } = parts.architecture;
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[game as u8 + 1, king_buckets]);
        out.extend_from_slice(&hidden.to_le_bytes());
        out.extend_from_slice(&[output_buckets, SQUARED]);
        out.extend_from_slice(&QUANTUM_IN.to_le_bytes());
        out.extend_from_slice(&QUANTUM_OUT.to_le_bytes());
        out.extend_from_slice(&parts.scale.to_le_bytes());
        out.extend_from_slice(&parts.origin);
        out.extend_from_slice(&[0; 8]);
        for numbers in [&parts.rows, &parts.bias, &parts.output] {
            numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
        parts.output_bias.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        let hash = Sha256::digest(&out);
        out.extend_from_slice(&hash);
        out
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Another kind of file, another version, damage, or numbers that are no network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        if !bytes.starts_with(MAGIC) {
            return Err(FileError::Magic);
        }
        let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
            return Err(FileError::Length { found: bytes.len(), allowed: HEADER + HASH });
        };
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        if short(8) != VERSION {
            return Err(FileError::Version { found: short(8) });
        }
        let game = GameKind::ALL.get(usize::from(header[10]).wrapping_sub(1)).copied();
        let field = |name, found: u64, allowed| FileError::Field { name, found, allowed };
        let Some(game) = game else {
            return Err(field("game", header[10].into(), "1 to 5"));
        };
        let architecture = Architecture {
            game,
            king_buckets: header[11],
            hidden: short(12),
            output_buckets: header[14],
        };
        architecture.check()?;
        let hidden = usize::from(architecture.hidden);
        let buckets = usize::from(architecture.output_buckets);
        let counts = [architecture.inputs() * hidden, hidden, 2 * buckets * hidden];
        let allowed = HEADER + 2 * counts.iter().sum::<usize>() + 4 * buckets + HASH;
        if bytes.len() != allowed {
            return Err(FileError::Length { found: bytes.len(), allowed });
        }
        let (said, hash) = bytes.split_at(allowed - HASH);
        if Sha256::digest(said)[..] != *hash {
            return Err(FileError::Hash);
        }
        let known = [
            ("activation", u64::from(header[15]), u64::from(SQUARED), "1"),
            ("quantum of values", short(16).into(), QUANTUM_IN as u64, "255"),
            ("quantum of output weights", short(18).into(), QUANTUM_OUT as u64, "64"),
        ];
        for (name, found, due, allowed) in known {
            if found != due {
                return Err(field(name, found, allowed));
            }
        }
        if header[56..].iter().any(|byte| *byte != 0) {
            return Err(field("reserved bytes", 1, "zeros"));
        }
        let mut origin = [0; 32];
        origin.copy_from_slice(&header[24..56]);
        let scale = i32::from_le_bytes([header[20], header[21], header[22], header[23]]);
        let mut rest = rest;
        let mut numbers = |count: usize| {
            let (taken, left) = rest.split_at(2 * count);
            rest = left;
            taken.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
        };
        let [rows, bias, output] = counts.map(&mut numbers);
        let four = |b: &[u8]| i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let output_bias = rest[..4 * buckets].chunks_exact(4).map(four).collect();
        let parts = Parts { architecture, scale, origin, rows, bias, output, output_bias };
        Ok(Self::new(parts)?)
    }

    /// SHA-256 of the bytes of a file, in lower-case hex: what a network is known by.
    #[must_use]
    pub fn name_of(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
