//! What probing matches say of a parameter's `c_end` and range.
//!
//! The loss at `k` times `c_end` is taken as `h k² + b k` and fitted by least squares, each match
//! weighted by its variance. A `c_end` is right where the curvature `h` is half an Elo, which is what the
//! worlds of `elomill lab tuner` have in the median; `bqr` bears a `c_end` that is wrong by a factor of
//! three, which is a factor of nine in `h`, and within that a `c_end` fits.

use serde::Serialize;
use stats::NORMAL_95;

/// The loss at one `c_end` that is right, Elo.
const RIGHT: f64 = 0.5;
/// How far off it may be, as a factor of `h` either way.
const TOLERANCE: f64 = 9.0;
/// A match in which nothing differs has no variance; so much is taken then, in Elo.
const LEAST_ERROR: f64 = 0.1;
/// A parameter is dead where every match excludes a difference of so many Elo.
const SMALL: f64 = 10.0;
/// Ends of the range nearer to the default than so many right `c_end` are in a tune's way.
const NEAR: f64 = 3.0;
/// The range that is advised, in right `c_end` either side.
const REACH: f64 = 10.0;

/// One match of the default against the moved value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Probe {
    /// The value that was played.
    pub(super) value: f64,
    /// Its way from the default, in `c_end`.
    pub(super) steps: f64,
    /// The way that was asked for, before the value was rounded and kept in the range.
    pub(super) asked: f64,
    /// Pairs played.
    pub(super) pairs: u64,
    /// Elo lost by it, with its 95 % interval.
    pub(super) loss: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// What `c_end` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// One step loses less than a ninth of half an Elo.
    TooSmall,
    /// In between.
    Fits,
    /// One step loses more than nine times half an Elo.
    TooLarge,
    /// The probes differ, and lose on one side what they win on the other: the default lies on a
    /// slope whose top is not seen.
    Slope,
    /// No difference is shown as far as the range reaches, and every match excludes one of ten Elo.
    Dead,
    /// No difference is shown, and one may be there: the matches are too short, or the range reaches
    /// farther than was probed.
    NotShown,
}

impl Verdict {
    pub(super) fn text(self) -> &'static str {
        match self {
            Verdict::TooSmall => "c_end too small",
            Verdict::Fits => "fits",
            Verdict::TooLarge => "c_end too large",
            Verdict::Slope => "on a slope",
            Verdict::Dead => "dead",
            Verdict::NotShown => "no loss shown",
        }
    }
}

/// A parameter as it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) default: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) c_end: f64,
    /// Whether it takes whole numbers alone.
    pub(super) whole: bool,
}

/// What to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Advice {
    pub(super) verdict: Verdict,
    /// Elo lost at one `c_end` by the fit, with its 95 % interval.
    pub(super) curvature: f64,
    pub(super) curvature_low: f64,
    pub(super) curvature_high: f64,
    /// The `c_end` at which half an Elo is lost; none where no loss is shown.
    pub(super) c_end: Option<f64>,
    /// A range about the default for a tune, within the engine's; none where no loss is shown.
    pub(super) range: Option<(f64, f64)>,
    /// Whether an end of the engine's range is in a tune's way.
    pub(super) is_narrow: bool,
}

impl Declared {
    /// The ways and values of the probes so many `c_end` below and above the default, as far as there
    /// are such: within the range, rounded away from the default where whole.
    pub(super) fn probes(&self, steps: f64) -> Vec<(f64, f64)> {
        let at = |steps: f64| {
            let way = steps * self.c_end;
            let way = if self.whole { way.signum() * way.abs().ceil() } else { way };
            (steps, (self.default + way).clamp(self.min, self.max))
        };
        let mut values = vec![at(-steps), at(steps)];
        values.retain(|(_, value)| *value != self.default);
        values
    }

    /// The way of a value, in `c_end`.
    pub(super) fn steps(&self, value: f64) -> f64 {
        (value - self.default) / self.c_end
    }
}

/// The parabola of some probes.
struct Fit {
    h: f64,
    /// Standard error of `h`.
    error: f64,
    /// How much better it explains the probes than no effect at all: χ² of two degrees of freedom.
    effect: f64,
}

/// 95 % of χ² with two degrees of freedom: −2 ln 0.05.
const EFFECT_95: f64 = 5.991;

/// None from probes that do not tell a curvature from a slope.
fn fit(probes: &[Probe]) -> Option<Fit> {
    // Normal equations of the two columns k² and k.
    let (mut s4, mut s3, mut s2, mut y2, mut y1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for probe in probes {
        let error = ((probe.high - probe.low) / (2.0 * NORMAL_95)).max(LEAST_ERROR);
        let weight = error.powi(-2);
        let k = probe.steps;
        s4 += weight * k.powi(4);
        s3 += weight * k.powi(3);
        s2 += weight * k * k;
        y2 += weight * k * k * probe.loss;
        y1 += weight * k * probe.loss;
    }
    let determinant = s4 * s2 - s3 * s3;
    // One probe alone leaves rounding there.
    if determinant <= 1e-9 * s4 * s2 {
        return None;
    }
    let h = (s2 * y2 - s3 * y1) / determinant;
    let slope = (s4 * y1 - s3 * y2) / determinant;
    Some(Fit { h, error: (s2 / determinant).sqrt(), effect: h * y2 + slope * y1 })
}

/// Whether the probes show a loss that grows with the square of the way.
pub(super) fn shows_loss(probes: &[Probe]) -> bool {
    fit(probes).is_some_and(|fit| fit.h > NORMAL_95 * fit.error)
}

/// What the probes say; none if they are too few for a curvature.
pub(super) fn advise(declared: &Declared, probes: &[Probe]) -> Option<Advice> {
    let Fit { h, error, effect } = fit(probes)?;
    let probed = |end: f64| end == declared.default || probes.iter().any(|p| p.value == end);
    let is_small = |probe: &Probe| probe.low > -SMALL && probe.high < SMALL;
    let is_shown = shows_loss(probes);
    let verdict = match is_shown {
        true if h > RIGHT * TOLERANCE => Verdict::TooLarge,
        true if h < RIGHT / TOLERANCE => Verdict::TooSmall,
        true => Verdict::Fits,
        false if effect > EFFECT_95 => Verdict::Slope,
        false if probed(declared.min) && probed(declared.max) && probes.iter().all(is_small) => {
            Verdict::Dead
        }
        false => Verdict::NotShown,
    };
    let right = is_shown.then(|| {
        let right = declared.c_end * (RIGHT / h).sqrt();
        // A whole number moves by half a step at least: see the gains of a tune.
        if declared.whole { right.max(0.5) } else { right }
    });
    let range = right.map(|right| {
        let (below, above) = (declared.default - REACH * right, declared.default + REACH * right);
        let (below, above) =
            if declared.whole { (below.floor(), above.ceil()) } else { (below, above) };
        (below.max(declared.min), above.min(declared.max))
    });
    let is_narrow = right.is_some_and(|right| {
        let nearest = (declared.default - declared.min).min(declared.max - declared.default);
        nearest < NEAR * right
    });
    Some(Advice {
        verdict,
        curvature: h,
        curvature_low: h - NORMAL_95 * error,
        curvature_high: h + NORMAL_95 * error,
        c_end: right,
        range,
        is_narrow,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Declared =
        Declared { default: 10.0, min: 0.0, max: 40.0, c_end: 0.6, whole: true };
    const REAL: Declared = Declared { default: 1.0, min: 0.0, max: 3.0, c_end: 0.1, whole: false };

    /// Probes of a landscape, each known to within `margin`.
    fn probes(declared: &Declared, steps: &[f64], margin: f64, h: f64, b: f64) -> Vec<Probe> {
        let values = steps.iter().flat_map(|steps| declared.probes(*steps));
        let probe = |(asked, value)| {
            let k = declared.steps(value);
            let loss = h * k * k + b * k;
            Probe {
                value,
                steps: k,
                asked,
                pairs: 1,
                loss,
                low: loss - margin,
                high: loss + margin,
            }
        };
        values.map(probe).collect()
    }

    #[test]
    fn probes_stay_in_the_range_and_move() {
        assert_eq!(WHOLE.probes(1.0), [(-1.0, 9.0), (1.0, 11.0)]);
        assert_eq!(WHOLE.probes(2.0), [(-2.0, 8.0), (2.0, 12.0)]);
        assert_eq!(WHOLE.probes(100.0), [(-100.0, 0.0), (100.0, 40.0)]);
        assert_eq!(Declared { default: 0.0, ..WHOLE }.probes(1.0), [(1.0, 1.0)]);
    }

    #[test]
    fn the_verdict_follows_from_the_curvature_whatever_the_slope() {
        for (h, verdict) in [
            (0.02, Verdict::TooSmall),
            (0.06, Verdict::Fits),
            (0.5, Verdict::Fits),
            (4.4, Verdict::Fits),
            (4.6, Verdict::TooLarge),
        ] {
            for slope in [-1.0, 0.0, 2.0] {
                let advice =
                    advise(&REAL, &probes(&REAL, &[1.0, 2.0, 4.0, 8.0], 0.01, h, slope)).unwrap();
                assert_eq!(advice.verdict, verdict, "{h}, {slope}");
                assert!((advice.curvature - h).abs() < 1e-9);
                let right = advice.c_end.unwrap();
                // At the c_end that is advised, half an Elo is lost.
                assert!((h * (right / REAL.c_end).powi(2) - RIGHT).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn nothing_shown_is_dead_at_the_ends_of_the_range_alone() {
        let near = probes(&REAL, &[1.0, 2.0], 8.0, 0.1, 0.0);
        assert!(!shows_loss(&near));
        assert_eq!(advise(&REAL, &near).unwrap().verdict, Verdict::NotShown);
        let slope = probes(&REAL, &[1.0, 2.0, 1000.0], 8.0, 0.0, 3.0);
        assert_eq!(advise(&REAL, &slope).unwrap().verdict, Verdict::Slope);
        let all = probes(&REAL, &[1.0, 2.0, 1000.0], 8.0, 0.0, 0.0);
        let advice = advise(&REAL, &all).unwrap();
        assert_eq!((advice.verdict, advice.c_end, advice.range), (Verdict::Dead, None, None));
        let short = probes(&REAL, &[1.0, 2.0, 1000.0], 11.0, 0.0, 0.0);
        assert_eq!(advise(&REAL, &short).unwrap().verdict, Verdict::NotShown, "it may be there");
        assert!(advise(&REAL, &near[..1]).is_none(), "one probe has no curvature");
    }

    #[test]
    fn a_range_that_ends_early_is_narrow() {
        let narrow = Declared { min: 0.8, ..REAL };
        let advice = advise(&narrow, &probes(&narrow, &[1.0, 2.0], 0.01, 0.5, 0.0)).unwrap();
        assert!(advice.is_narrow);
        let (min, max) = advice.range.unwrap();
        assert!(min == 0.8 && (max - 2.0).abs() < 1e-9, "{min} {max}");
    }
}
