//! `elomill stats sprt`: a sequential test from its counts, with the plain Elo and the one that is
//! corrected for stopping.

use crate::output::{json, line};
use model::Pentanomial;
use model::view::OutlookView;
use serde::Serialize;
use stats::Overshoot;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Pairs by score: LL,LD,LW+DD,DW,WW
    #[arg(long, value_name = "A,B,C,D,E", value_parser = super::pentanomial)]
    ptnml: Pentanomial,
    #[command(flatten)]
    test: super::Test,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figures {
    llr: f64,
    lower: f64,
    upper: f64,
    elo: f64,
    elo_low: f64,
    elo_high: f64,
    normalized_elo: f64,
    los: f64,
    corrected_elo: f64,
    corrected_elo_low: f64,
    corrected_elo_high: f64,
    corrected_los: f64,
    /// What to expect of the rest; none once a bound is reached.
    outlook: Option<OutlookView>,
}

impl Args {
    /// # Errors
    /// The hypotheses or error rates are none.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let spec = self.test.spec()?;
        let report = spec.report(&self.ptnml);
        let corrected = spec.corrected(&self.ptnml);
        let figures = Figures {
            llr: report.llr,
            lower: report.lower,
            upper: report.upper,
            elo: report.elo.0,
            elo_low: report.elo_low.0,
            elo_high: report.elo_high.0,
            normalized_elo: report.normalized.0,
            los: report.los,
            corrected_elo: corrected.elo.0,
            corrected_elo_low: corrected.low.0,
            corrected_elo_high: corrected.high.0,
            corrected_los: corrected.los,
            outlook: (report.decision == stats::SprtDecision::Continue).then(|| {
                // No reports are known here, so none is known to step over a bound.
                let outlook = spec.outlook(&self.ptnml, report.llr, &Overshoot::default());
                OutlookView {
                    pass_probability: outlook.pass_probability,
                    mean_pairs: outlook.mean_pairs,
                    median_pairs: outlook.median_pairs,
                    q95_pairs: outlook.q95_pairs,
                }
            }),
        };
        if self.json {
            return json(&figures);
        }
        let decision = match report.decision {
            stats::SprtDecision::Continue => "goes on",
            stats::SprtDecision::AcceptH0 => "rejected",
            stats::SprtDecision::AcceptH1 => "accepted",
        };
        line(format_args!(
            "LLR       {:.3}, bounds {:.3} and {:.3}: {decision}",
            figures.llr, figures.lower, figures.upper
        ))?;
        line(format_args!(
            "Elo       {:+.2} ({:+.2} … {:+.2}, 95 %), normalised {:+.2}",
            figures.elo, figures.elo_low, figures.elo_high, figures.normalized_elo
        ))?;
        line(format_args!("superior  {:.2} %", 100.0 * figures.los))?;
        line(format_args!(
            "corrected {:+.2} ({:+.2} … {:+.2}, 95 %), superior {:.2} %: as a test that stops at \
             its bounds shows it",
            figures.corrected_elo,
            figures.corrected_elo_low,
            figures.corrected_elo_high,
            100.0 * figures.corrected_los
        ))?;
        if let Some(outlook) = figures.outlook {
            line(format_args!(
                "outlook   passes with {:.0} %, {:.0} more games on average, half of such tests below \
                 {:.0}, 95 % below {:.0}",
                100.0 * outlook.pass_probability,
                2.0 * outlook.mean_pairs,
                2.0 * outlook.median_pairs,
                2.0 * outlook.q95_pairs
            ))?;
        }
        Ok(())
    }
}
