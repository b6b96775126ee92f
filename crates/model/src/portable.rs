//! `exp` and `ln` that give the same bits on every machine.
//!
//! The platform's own may differ in the last bit between systems and even between processors, and
//! a state that is compared bytewise after a replay must not depend on where it was computed. Only
//! +, −, ×, ÷ and powers of two are used, all of which IEEE 754 fixes. The errors stay within a few
//! units in the last place.

use std::f64::consts::{LN_2, SQRT_2};

/// The leading bits of ln 2, so that a whole multiple below 2¹¹ of it is exact (W. Cody,
/// W. Waite, 1980).
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
/// The rest of ln 2.
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/k! for k from 0 to 14.
const INVERSE_FACTORIALS: [f64; 15] = {
    let mut inverses = [1.0; 15];
    let (mut k, mut factorial) = (1, 1.0);
    while k < 15 {
        factorial *= k as f64;
        inverses[k] = 1.0 / factorial;
        k += 1;
    }
    inverses
};

/// 1/(2k + 1) for k from 0 to 11.
const INVERSE_ODDS: [f64; 12] = {
    let mut inverses = [1.0; 12];
    let mut k = 0;
    while k < 12 {
        inverses[k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    inverses
};

/// e^x; 0 below −700, and the value at 700 above it.
#[must_use]
pub fn exp(x: f64) -> f64 {
    if x < -700.0 {
        return 0.0;
    }
    let x = x.min(700.0);
    let halvings = (x / LN_2).round();
    let rest = (x - halvings * LN_2_HIGH) - halvings * LN_2_LOW;
    // |rest| ≤ 0.35: the fourteenth term is below 2⁻⁵⁴ of the sum.
    let sum = INVERSE_FACTORIALS.iter().rev().fold(0.0, |sum, inverse| sum * rest + inverse);
    sum * power_of_two(halvings as i64)
}

/// The natural logarithm of a normal number above 0.
#[must_use]
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if mantissa > SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh((m − 1)/(m + 1)), whose argument is at most 0.172.
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let sum = INVERSE_ODDS.iter().rev().fold(0.0, |sum, inverse| sum * square + inverse);
    let whole = exponent as f64;
    whole * LN_2_HIGH + (2.0 * ratio * sum + whole * LN_2_LOW)
}

/// 2^n for n from −1022 to 1023.
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_platform_to_the_last_places() {
        for step in -70_000..70_000 {
            let x = f64::from(step) * 0.01;
            let (mine, theirs) = (exp(x), x.exp());
            assert!((mine / theirs - 1.0).abs() < 1e-15, "exp {x}: {mine} {theirs}");
            let y = theirs;
            assert!((ln(y) - y.ln()).abs() < 4e-16 * y.ln().abs().max(0.25), "ln {y}");
        }
        assert_eq!((exp(0.0), ln(1.0), exp(-1e300)), (1.0, 0.0, 0.0));
        assert!(exp(f64::INFINITY).is_finite());
    }
}
