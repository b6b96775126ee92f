//! A perturbation in few bytes, for the ledger rows of tunes of very many parameters.
//!
//! In the plain form each parameter takes some 75 characters: its side, two gains and two values. The
//! gains follow from the schedule and the block, so what is kept are the side as a bit, the lower of
//! the two values, and how the other one follows from it: whole numbers as small differences, a real
//! one as the few last bits by which it differs from "twice c above". A form that would not give back
//! the same bits is not used.

use crate::config::Moment;
use crate::{ParameterSpace, Perturbation};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use model::{ParameterDef, ParameterKind};
use serde::{Deserialize, Serialize};

/// More parameters than this are packed: below it a row is better readable.
pub(crate) const PACKED_ABOVE: usize = 100;

/// The packed form as it stands in a row.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Packed {
    /// Index of the block's first pair in the tune.
    pub(crate) first_pair: u64,
    /// Base 64 (RFC 4648) of the values, without padding.
    packed: String,
}

impl Packed {
    /// Packs a perturbation; none if it would not come back to the bit.
    pub(crate) fn of(
        space: &ParameterSpace,
        moment: &Moment,
        perturbation: &Perturbation,
    ) -> Option<Self> {
        perturbation.check(space.dimension()).ok()?;
        let mut bytes = Vec::with_capacity(4 * space.dimension());
        for (index, p) in space.parameters().iter().enumerate() {
            let above = perturbation.flips[index] > 0;
            let (plus, minus) = (perturbation.plus[index], perturbation.minus[index]);
            let (low, high) = if above { (minus, plus) } else { (plus, minus) };
            let bit = u64::from(above);
            if has_own_gain(space, index, p) {
                bytes.extend(perturbation.c[index].to_le_bytes());
            }
            if p.kind.is_whole() {
                put(&mut bytes, zigzag((low - p.start.round()) as i64) << 1 | bit);
                put(&mut bytes, zigzag((high - low) as i64));
            } else {
                bytes.extend(low.to_le_bytes());
                let beyond = high.to_bits().wrapping_sub(beyond(low, perturbation.c[index]));
                put(&mut bytes, zigzag(beyond as i64) << 1 | bit);
            }
        }
        let packed = STANDARD_NO_PAD.encode(bytes);
        let packed = Self { first_pair: perturbation.first_pair, packed };
        let same = packed.open(space, moment).is_some_and(|opened| opened == *perturbation);
        same.then_some(packed)
    }

    /// The perturbation; none if this was not packed for the space.
    pub(crate) fn open(&self, space: &ParameterSpace, moment: &Moment) -> Option<Perturbation> {
        let bytes = STANDARD_NO_PAD.decode(&self.packed).ok()?;
        let mut rest = bytes.as_slice();
        let size = space.dimension();
        let mut opened = Perturbation {
            first_pair: self.first_pair,
            flips: Vec::with_capacity(size),
            c: Vec::with_capacity(size),
            r: Vec::with_capacity(size),
            plus: Vec::with_capacity(size),
            minus: Vec::with_capacity(size),
        };
        for (index, p) in space.parameters().iter().enumerate() {
            let usual = moment.about(p, p.start);
            let mut gains = usual;
            if has_own_gain(space, index, p) {
                gains.c = real(&mut rest)?;
                if p.kind == ParameterKind::LogInt {
                    gains = moment.with(p, gains.c);
                }
            }
            let (low, high, bit) = if p.kind.is_whole() {
                let first = take(&mut rest)?;
                let low = p.start.round() + unzigzag(first >> 1) as f64;
                (low, low + unzigzag(take(&mut rest)?) as f64, first & 1)
            } else {
                let low = real(&mut rest)?;
                let last = take(&mut rest)?;
                let bits = beyond(low, gains.c).wrapping_add(unzigzag(last >> 1) as u64);
                (low, f64::from_bits(bits), last & 1)
            };
            let above = bit == 1;
            opened.flips.push(if above { 1 } else { -1 });
            opened.c.push(gains.c);
            opened.r.push(gains.r);
            opened.plus.push(if above { high } else { low });
            opened.minus.push(if above { low } else { high });
        }
        (rest.is_empty() && opened.check(size).is_ok()).then_some(opened)
    }
}

/// Whether the perturbation of a parameter depends on where it stands, and is kept beside the values.
fn has_own_gain(space: &ParameterSpace, index: usize, p: &ParameterDef) -> bool {
    p.kind == ParameterKind::LogInt || space.constraints().involves(index)
}

/// The bits of the other side if nothing were rounded.
fn beyond(low: f64, c: f64) -> u64 {
    (low + 2.0 * c).to_bits()
}

fn real(rest: &mut &[u8]) -> Option<f64> {
    let (bytes, tail) = rest.split_first_chunk::<8>()?;
    *rest = tail;
    Some(f64::from_bits(u64::from_le_bytes(*bytes)))
}

/// Small numbers of either sign as small numbers.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Seven bits a byte, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
