//! Runs in words: the moved parameters of a tune, the verdict of a test. Pure.

mod race;

use crate::tables::{Column, duration, number, table};
use model::ParameterKind;
use model::spec::{GainRule, Job, OptimizerSpec, SpsaSettings, TestSpec, TuneSpec};
use model::view::{
    CorrectedView, OutlookView, ProgressView, RunState, RunView, TestView, TuneEstimate, TuneView,
    Verdict,
};

/// How far a parameter has moved from its start, in units of its final perturbation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move<'a> {
    pub(crate) name: &'a str,
    pub(crate) steps: f64,
}

/// The moves of a tune, the farthest first; equal ones by name.
pub(crate) fn moves<'a>(spec: &'a TuneSpec, view: &TuneView) -> Vec<Move<'a>> {
    let mut moves: Vec<_> = spec
        .parameters
        .iter()
        .zip(&view.theta)
        .map(|(def, theta)| Move { name: &def.name, steps: def.steps(*theta) })
        .collect();
    moves.sort_by(|a, b| b.steps.abs().total_cmp(&a.steps.abs()).then(a.name.cmp(b.name)));
    moves
}

/// One line on where a run stands, without its pairs: what follows the progress bar.
pub(crate) fn standing(run: &RunView) -> String {
    match (&run.spec.job, &run.progress) {
        _ if run.counted_pairs == 0 => "nothing counted yet".to_owned(),
        (Job::Tune(spec), ProgressView::Tune(view)) => {
            let mut parts: Vec<String> = moves(spec, view)
                .iter()
                .take(3)
                .map(|m| format!("{} {:+.1}", m.name, m.steps))
                .collect();
            if let Some(TuneEstimate { gain, gain_low, .. }) = view.estimate {
                parts.push(format!("predicted {gain:+.1} Elo, at least {gain_low:+.1}"));
            }
            parts.join("  ")
        }
        (_, ProgressView::Test(view)) => match (view.llr, view.lower, view.upper) {
            (Some(llr), Some(lower), Some(upper)) => {
                format!("LLR {llr:+.2} in {lower:.2} … {upper:.2}  Elo {}", elo(view))
            }
            _ => format!("Elo {}", elo(view)),
        },
        (_, ProgressView::Race(view)) => race::standing(view),
        // Convert refuses an answer in which job and progress differ.
        (_, ProgressView::Tune(_)) => String::new(),
    }
}

/// One whole line on where a run stands, for a log.
pub(crate) fn progress_line(run: &RunView) -> String {
    let mut line =
        format!("{} {}: {} of {} pairs", run.kind, run.id, run.counted_pairs, run.asked_pairs);
    // In its first moments, a run has no speed to show yet.
    if run.pairs_per_second > 0.0 {
        line.push_str(&format!(", {:.1} pairs/s", run.pairs_per_second));
    }
    if let Some(eta) = run.eta_seconds {
        line.push_str(&format!(", {} left", duration(eta)));
    }
    let standing = standing(run);
    if !standing.is_empty() {
        line.push_str(&format!("; {standing}"));
    }
    match run.state {
        RunState::Paused => line.push_str(" (paused)"),
        RunState::Stopped => line.push_str(" (stopped)"),
        RunState::Running | RunState::Finished => {}
    }
    line
}

fn elo(view: &TestView) -> String {
    interval(view.elo, view.elo_low, view.elo_high)
}

/// `+12.3 ± 9.1`, or both ends where the interval is lopsided.
fn interval(elo: f64, low: f64, high: f64) -> String {
    let (below, above) = (elo - low, high - elo);
    if (below - above).abs() < 0.1 * (below + above) {
        format!("{elo:+.1} ± {:.1}", 0.5 * (below + above))
    } else {
        format!("{elo:+.1} ({low:+.1} … {high:+.1})")
    }
}

/// Start against tuned value of each parameter of a tune and, where the optimiser knows it, how sure
/// that is.
pub(crate) fn tuned_table(spec: &TuneSpec, view: &TuneView) -> String {
    use Column::{Number, Text};
    let mut columns =
        vec![Text("parameter"), Number("start"), Number("tuned"), Number("moved by c_end")];
    if view.estimate.is_some() {
        columns.extend([Number("optimum ±"), Number("signal/noise")]);
    }
    if view.verdict.is_some() {
        columns.push(Text("effect"));
    }
    let rows: Vec<_> = spec
        .parameters
        .iter()
        .zip(&view.theta)
        .enumerate()
        .map(|(index, (def, theta))| {
            let tuned = view.suggested.get(&def.name).unwrap_or(*theta);
            let moved = match def.kind {
                ParameterKind::Categorical if tuned == def.start => "same choice".to_owned(),
                ParameterKind::Categorical => "other choice".to_owned(),
                _ => format!("{:+.1}", def.steps(*theta)),
            };
            let mut row = vec![def.name.clone(), number(def.start), number(tuned), moved];
            if let Some(estimate) = &view.estimate {
                // Convert refuses lists of another length.
                let at = |list: &[f64]| list.get(index).copied().unwrap_or_default();
                row.push(number(at(&estimate.deviation)));
                row.push(format!("{:.1}", at(&estimate.signal_to_noise)));
            }
            if let Some(verdict) = &view.verdict {
                row.push(if verdict.is_placebo(index) { "placebo" } else { "shown" }.to_owned());
            }
            row
        })
        .collect();
    table(&columns, &rows)
}

/// What a tune is moved by and, where the optimiser knows it, what it has won.
fn optimizer_lines(spec: &TuneSpec, view: &TuneView) -> Vec<String> {
    let acting = spec.acting();
    let name = match acting {
        OptimizerSpec::Spsa(SpsaSettings { gains, .. }) if gains != GainRule::default() => {
            format!("spsa with the gains of {}", gains.name())
        }
        _ => acting.kind().to_string(),
    };
    let mut lines = vec![match spec.handed_over() {
        Some(why) => format!("optimizer    {name}: {why}"),
        None => format!("optimizer    {name}"),
    }];
    if let Some(fork) = spec.forked_from {
        lines.push(format!("forked       from run {} at {} pairs", fork.run, fork.pairs));
    }
    if let Some(estimate) = &view.estimate {
        lines.push(format!(
            "gain         {:+.1} Elo over the start predicted, at least {:+.1} (97.5 %), {:.1} left to \
             the optimum",
            estimate.gain, estimate.gain_low, estimate.remaining_loss
        ));
        lines.push(format!(
            "noise        {:.0} Elo is the deviation of a pair",
            estimate.pair_deviation
        ));
    }
    if let Some(verdict) = &view.verdict {
        let (count, size) = (0..spec.parameters.len()).fold((0, 0), |(count, size), index| {
            (count + usize::from(verdict.is_placebo(index)), size + 1)
        });
        lines.push(format!("verdict      {}: {}", verdict.convergence.text(), verdict.why));
        lines.push(format!(
            "placebos     {count} of {size} parameters cannot be told from such as do nothing"
        ));
    }
    for odds in &view.choices {
        let Some(def) = spec.parameters.iter().find(|def| def.name == odds.name) else { continue };
        let each: Vec<String> = odds
            .probabilities
            .iter()
            .enumerate()
            .map(|(place, p)| format!("{} {:.0} %", number(def.min + place as f64), 100.0 * p))
            .collect();
        lines.push(format!("choices      {}: best is {}", odds.name, each.join(", ")));
    }
    lines
}

/// Everything that a test or a match found, a line each.
pub(crate) fn test_lines(run: &RunView, view: &TestView) -> Vec<String> {
    let wdl = run.tally.wdl;
    let cells = run.tally.pentanomial.0.map(|pairs| pairs.to_string()).join(", ");
    let Job::Test(spec) = &run.spec.job else { return Vec::new() };
    let mut lines = vec![
        format!(
            "games        {} won, {} drawn, {} lost by the candidate ({} pairs)",
            wdl.wins, wdl.draws, wdl.losses, run.counted_pairs
        ),
        format!(
            "pentanomial  [{cells}]  (LL, LD, LW+DD, DW, WW), {:.0} Elo is the deviation of a pair",
            stats::pair_deviation(&run.tally.pentanomial).0
        ),
    ];
    if let (Some(sprt), Some(llr), Some(lower), Some(upper)) =
        (spec.sprt, view.llr, view.lower, view.upper)
    {
        lines.push(format!(
            "LLR          {llr:+.2}, bounds {lower:.2} and {upper:.2} ({} Elo {} against {}, α {}, β {})",
            sprt.model.name(),
            number(sprt.elo0),
            number(sprt.elo1),
            number(sprt.alpha),
            number(sprt.beta)
        ));
    }
    lines.push(format!(
        "Elo          {} (95 %), normalised {:+.1}, likelihood of superiority {:.1} %",
        elo(view),
        view.normalized_elo,
        100.0 * view.los
    ));
    if let Some(CorrectedView { elo, elo_low, elo_high, los }) = view.corrected {
        lines.push(format!(
            "corrected    {} (95 %), likelihood of superiority {:.1} %: without the bias of stopping",
            interval(elo, elo_low, elo_high),
            100.0 * los
        ));
    }
    if let Some(outlook) = &view.outlook {
        lines.push(outlook_line(run, outlook));
    }
    let what = if spec.sprt.is_some() { "verdict" } else { "match" };
    lines.push(format!("{what:<13}{}", verdict(run, view)));
    lines
}

/// How a test will probably go on.
fn outlook_line(run: &RunView, outlook: &OutlookView) -> String {
    let games = |pairs: f64| format!("{:.0}", 2.0 * pairs);
    let budget = run.asked_pairs.saturating_sub(run.counted_pairs);
    format!(
        "outlook      passes with {:.0} %, {} more games on average, half of such tests below {}, \
         95 % below {}; {} are left to play",
        100.0 * outlook.pass_probability,
        games(outlook.mean_pairs),
        games(outlook.median_pairs),
        games(outlook.q95_pairs),
        2 * budget
    )
}

/// How a run ended, in one line: what a test or a race said, where a tune stands.
pub(crate) fn ending(run: &RunView) -> String {
    match &run.progress {
        ProgressView::Test(view) => verdict(run, view),
        ProgressView::Race(view) => race::verdict(run, view),
        ProgressView::Tune(_) => standing(run),
    }
}

/// What a test said, plainly; how far a match, which says nothing, was played.
pub(crate) fn verdict(run: &RunView, view: &TestView) -> String {
    if matches!(&run.spec.job, Job::Test(test) if test.sprt.is_none()) {
        return match run.state {
            RunState::Finished => format!("played to its end: Elo {}", elo(view)),
            RunState::Stopped => {
                format!("stopped by hand after {} pairs: Elo {}", run.counted_pairs, elo(view))
            }
            RunState::Running | RunState::Paused => "still being played".to_owned(),
        };
    }
    match (view.verdict, run.state) {
        (Some(Verdict::Accepted), _) => "accepted: the candidate is stronger".to_owned(),
        (Some(Verdict::Rejected), _) => "rejected: the gain asked for is not there".to_owned(),
        (Some(Verdict::Inconclusive), _) => {
            let pairs = run.counted_pairs;
            match &run.spec.job {
                // Ended before its budget, and not by a bound: by its rule of futility.
                Job::Test(TestSpec { sprt: Some(sprt), futility, .. })
                    if *futility > 0.0 && pairs < run.asked_pairs =>
                {
                    format!(
                        "inconclusive: after {pairs} pairs even a gain of {} would pass within the \
                         budget with less than {} %",
                        number(sprt.elo1),
                        number(100.0 * futility)
                    )
                }
                _ => format!("inconclusive: {pairs} pairs did not reach either bound"),
            }
        }
        (None, RunState::Stopped) => "none: the test was stopped by hand".to_owned(),
        (None, _) => "none yet: the test goes on".to_owned(),
    }
}

/// A run as `runs show` prints it.
pub(crate) fn describe(run: &RunView) -> String {
    let mut lines = vec![
        format!("run          {} ({}, {})", run.id, run.kind, run.spec.game),
        format!("name         {}", model::printable(&run.spec.name, 120)),
        format!("state        {}{}", run.state.name(), reason(run)),
        format!(
            "pairs        {} counted of {} asked, {} leased, {:.1} per second",
            run.counted_pairs, run.asked_pairs, run.leased_pairs, run.pairs_per_second
        ),
        format!(
            "limits       {}, {} plies a game, {} KiB hash, {} pairs a lease",
            run.spec.means(),
            run.spec.limit.max_plies,
            run.spec.limit.hash_kib,
            run.spec.lease_pairs
        ),
        format!(
            "leases       {} active, {} completed, {} returned, {} expired, {} revoked; {} reports",
            run.leases.active,
            run.leases.completed,
            run.leases.returned,
            run.leases.expired,
            run.leases.revoked,
            run.reports
        ),
        format!("seed         {}, weight {}", run.spec.seed, number(run.spec.weight)),
    ];
    if run.audited_pairs + run.mismatched_pairs > 0 {
        lines.push(format!(
            "audited      {:.1} % of the pairs came out the same when another worker played them, {} \
             otherwise",
            100.0 * run.audited_pairs as f64 / (run.counted_pairs + run.excluded_pairs).max(1) as f64,
            run.mismatched_pairs
        ));
    }
    if run.excluded_reports > 0 {
        lines.push(format!(
            "excluded     {} pairs of {} reports; `elomill workers exclusions` says why",
            run.excluded_pairs, run.excluded_reports
        ));
    }
    if !run.warning.is_empty() {
        lines.push(format!("warning      {}", model::printable(&run.warning, 200)));
    }
    match (&run.spec.job, &run.progress) {
        (Job::Tune(spec), ProgressView::Tune(view)) => {
            lines.extend(optimizer_lines(spec, view));
            lines.push(String::new());
            match run.farthest() {
                None => lines.push(tuned_table(spec, view)),
                Some(places) => {
                    let (few, all) = (run.narrowed(&places), spec.parameters.len());
                    if let (Job::Tune(spec), ProgressView::Tune(view)) =
                        (&few.spec.job, &few.progress)
                    {
                        lines.push(tuned_table(spec, view));
                    }
                    lines.push(format!(
                        "the {} of {all} parameters that moved farthest; --json has all of them",
                        places.len()
                    ));
                }
            }
        }
        (_, ProgressView::Test(view)) => lines.extend(test_lines(run, view)),
        (Job::Race(spec), ProgressView::Race(view)) => lines.extend(race::lines(run, spec, view)),
        (_, ProgressView::Tune(_) | ProgressView::Race(_)) => {}
    }
    lines.join("\n")
}

fn reason(run: &RunView) -> String {
    if run.state_reason.is_empty() {
        String::new()
    } else {
        format!(": {}", model::printable(&run.state_reason, 200))
    }
}

#[cfg(test)]
pub(crate) mod tests;
