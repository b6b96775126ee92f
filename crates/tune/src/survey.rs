//! What a tune that follows slopes has won, read off its own reports.
//!
//! `spsa` keeps a point and nothing else, and its games say nothing of strength, for both sides are moved.
//! But each report compares two known points. The surface that [`Bqr`] fits, quadratic with a cubic term
//! for each parameter and priors that are learnt (D. MacKay, 1992), is fitted to them here as well, and
//! the strength of a point above the start follows from it with its posterior variance:
//! `E(f(x) − f(start)) ± 1.96 · 1.6 √Var`. The surface moves nothing; the tune goes the way that it went.
//!
//! Priors about 0 shrink what little was seen, so that the point, which noise has led, too, is not
//! flattered by it. Far from where probes were played, or where the landscape flattens, the interval is
//! as wrong as that of `bqr`.

use crate::{Bqr, Optimizer, ParameterSpace, Perturbation, TuneError};
use model::spec::{BqrSettings, TuneSpec};
use model::{Elo, Pairs};

/// The surface under a tune, by the reports so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey(Bqr);

/// How much wider the interval is than the posterior says, which takes the widths that it has learnt for
/// its priors as known. As simulated (the tests below): on a parabola 33 of 40 intervals of 95 % held the
/// truth without it.
const WIDER: f64 = 1.6;

/// Strength of a point above the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurveyedGain {
    /// What is expected.
    pub gain: Elo,
    /// Standard deviation; ≥ 0.
    pub deviation: Elo,
}

impl Survey {
    /// Before the first report; `None` where no such surface is fitted: with more parameters than
    /// [`model::spec::BQR_MOST_PARAMETERS`], or with a range of more than a million `c_end`.
    #[must_use]
    pub fn new(spec: &TuneSpec) -> Option<Self> {
        let space = ParameterSpace::constrained(spec.parameters.clone(), &spec.constraints).ok()?;
        // It is never asked, so that blocks and seed do not matter.
        Bqr::new(space, BqrSettings::default(), Pairs(1), 0).ok().map(Self)
    }

    /// Takes in a report: what its pairs played, and what `plus` scored above `minus`.
    ///
    /// # Errors
    /// As [`Optimizer::tell`].
    pub fn see(
        &mut self,
        played: &Perturbation,
        pairs: Pairs,
        balance: i64,
    ) -> Result<(), TuneError> {
        self.0.tell(played, pairs, balance)
    }

    /// What a point is worth, one value for each parameter; rounded where it must be.
    ///
    /// # Errors
    /// The point has another number of parameters.
    pub fn gain_of(&self, point: &[f64]) -> Result<SurveyedGain, TuneError> {
        let SurveyedGain { gain, deviation } = self.0.gain_of(point)?;
        Ok(SurveyedGain { gain, deviation: Elo(WIDER * deviation.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{self, Bowl, PairNoise, Schedule, Shape};
    use crate::{Spsa, SpsaConfig};
    use model::spec::OptimizerSpec;
    use model::{ParameterDef, ParameterKind, ParameterSet};

    const PAIRS: Pairs = Pairs(20_000);

    fn spec(parameters: usize) -> TuneSpec {
        let parameter = |index: usize| ParameterDef {
            name: format!("p{index}"),
            kind: ParameterKind::Float,
            start: 100.0,
            min: -400.0,
            max: 600.0,
            c_end: 10.0,
            r_end: 0.002,
        };
        TuneSpec {
            pairs: PAIRS,
            optimizer: OptimizerSpec::Spsa(Default::default()),
            parameters: (0..parameters).map(parameter).collect(),
            constraints: Vec::new(),
            fixed: ParameterSet::default(),
            forked_from: None,
        }
    }

    /// An `spsa` tune and the surface under it, which sees the same reports.
    struct Both(Spsa, Survey);

    impl Optimizer for Both {
        fn ask(&self, first_pair: u64) -> Perturbation {
            self.0.ask(first_pair)
        }

        fn tell(&mut self, p: &Perturbation, pairs: Pairs, balance: i64) -> Result<(), TuneError> {
            self.1.see(p, pairs, balance)?;
            self.0.tell(p, pairs, balance)
        }

        fn theta(&self) -> &[f64] {
            self.0.theta()
        }

        fn suggested(&self) -> ParameterSet {
            self.0.suggested()
        }
    }

    /// Simulated tunes: their mean gain, what is read off their reports in the mean, and how many of the
    /// intervals hold the truth.
    fn tuned(tunes: u64, shape: &Shape) -> (f64, f64, u64) {
        let spec = spec(8);
        let (mut won, mut told, mut held) = (0.0, 0.0, 0);
        for seed in 0..tunes {
            let space = ParameterSpace::new(spec.parameters.clone()).unwrap();
            let start = space.start();
            let bowl = Bowl::shaped(&space, 20.0, shape, seed);
            let spsa = Spsa::new(space, SpsaConfig::new(PAIRS), seed).unwrap();
            let mut both = Both(spsa, Survey::new(&spec).unwrap());
            let schedule = Schedule { pairs: PAIRS, block: Pairs(8), in_flight: 16 };
            sim::play(&mut both, &bowl, &PairNoise::REFERENCE, schedule, seed);
            let truth = bowl.elo(both.theta()).0 - bowl.elo(&start).0;
            let SurveyedGain { gain, deviation } = both.1.gain_of(both.theta()).unwrap();
            held += u64::from((truth - gain.0).abs() <= stats::NORMAL_95 * deviation.0);
            won += truth;
            told += gain.0;
        }
        let (won, told) = (won / tunes as f64, told / tunes as f64);
        println!("{shape:?}: won {won:.1} Elo, told {told:.1}, held {held} of {tunes}");
        (won, told, held)
    }

    #[test]
    fn the_interval_holds_what_a_tune_has_won() {
        let parabola = Shape { skew: 0.0, saturation: f64::INFINITY, ..Shape::REFERENCE };
        let (won, told, held) = tuned(40, &parabola);
        assert!(won > 5.0, "the tunes win something: {won}");
        assert!((told - won).abs() < 0.15 * won, "{told} are told of {won}");
        // 38 are expected.
        assert!(held >= 34, "{held} of 40 intervals hold the truth");
    }

    #[test]
    fn on_a_landscape_that_flattens_too_little_is_told_rather_than_too_much() {
        let (won, told, _) = tuned(40, &Shape::REFERENCE);
        assert!(told < 1.1 * won && told > 0.5 * won, "{told} are told of {won}");
    }

    #[test]
    fn a_tune_that_has_won_nothing_is_not_flattered() {
        let spec = spec(8);
        let flat = |_: &[f64]| Elo(0.0);
        let mut told = Vec::new();
        for seed in 0..20 {
            let space = ParameterSpace::new(spec.parameters.clone()).unwrap();
            let spsa = Spsa::new(space, SpsaConfig::new(PAIRS), seed).unwrap();
            let mut both = Both(spsa, Survey::new(&spec).unwrap());
            let schedule = Schedule { pairs: PAIRS, block: Pairs(8), in_flight: 1 };
            sim::play(&mut both, &flat, &PairNoise::REFERENCE, schedule, seed);
            told.push(both.1.gain_of(both.theta()).unwrap());
        }
        let sure = |t: &&SurveyedGain| t.gain.0 > stats::NORMAL_95 * t.deviation.0;
        assert!(told.iter().filter(sure).count() <= 2, "{told:?}");
        let mean = told.iter().map(|t| t.gain.0).sum::<f64>() / told.len() as f64;
        println!("nothing to be won: told {mean:.2} Elo");
        assert!(mean < 1.5, "{mean} Elo of nothing");
    }

    #[test]
    fn very_many_parameters_have_no_such_surface() {
        assert!(Survey::new(&spec(100)).is_some());
        assert!(Survey::new(&spec(101)).is_none());
        let survey = Survey::new(&spec(2)).unwrap();
        assert_eq!(survey.gain_of(&[100.0, 100.0]).unwrap().gain, Elo(0.0));
        assert!(survey.gain_of(&[100.0]).is_err());
    }
}
