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
            "limits       {} nodes a move, {} plies a game, {} KiB hash, {} pairs a lease",
            run.spec.limit.nodes,
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
pub(crate) mod tests {
    use super::*;
    use model::spec::{
        BqrSettings, EloModel, GameLimit, Keep, RaceCandidate, RaceSpec, RaceStop, RunSpec,
        SprtSpec,
    };
    use model::view::{CandidateState, CandidateView, LeaseCounts, RaceView};
    use model::{
        GameKind, Nodes, Pairs, ParameterDef, ParameterSet, Pentanomial, Ply, RunId, Tally, Wdl,
    };

    const SPRT: SprtSpec =
        SprtSpec { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

    /// A race of two, the second of which has won.
    pub(crate) fn race(id: i64, state: RunState, verdict: Option<Verdict>) -> RunView {
        let candidates = ["first", "second"].map(|name| RaceCandidate {
            name: name.to_owned(),
            values: [(name.to_owned(), 2.0)].into_iter().collect(),
            run: None,
        });
        let job = Job::Race(RaceSpec {
            candidates: candidates.to_vec(),
            base: ParameterSet::default(),
            sprt: SPRT,
            stop: RaceStop::First,
            max_pairs: Pairs(100),
        });
        let candidate = |name: &str, state, llr| CandidateView {
            name: name.to_owned(),
            state,
            tally: Tally::default(),
            llr,
            lower: -2.97,
            upper: 3.64,
            elo: 40.0,
            elo_low: 21.0,
            elo_high: 60.0,
            corrected: CorrectedView { elo: 33.0, elo_low: 12.0, elo_high: 54.0, los: 0.9981 },
        };
        let second = match verdict {
            Some(Verdict::Accepted) => CandidateState::Accepted,
            _ => CandidateState::Open,
        };
        let progress = ProgressView::Race(RaceView {
            candidates: vec![
                candidate("first", CandidateState::Rejected, -3.0),
                candidate("second", second, 3.7),
            ],
            winner: (second == CandidateState::Accepted).then_some(1),
            verdict,
        });
        view(id, "takes", state, job, progress)
    }

    /// A tune of two parameters at this point.
    pub(crate) fn tune(id: i64, name: &str, state: RunState, theta: [f64; 2]) -> RunView {
        let def = |name: &str, start, c_end| ParameterDef {
            name: name.to_owned(),
            kind: ParameterKind::Float,
            start,
            min: -100.0,
            max: 100.0,
            c_end,
            r_end: 0.002,
        };
        let job = Job::Tune(TuneSpec {
            pairs: Pairs(100),
            optimizer: OptimizerSpec::default(),
            parameters: vec![def("alef", 1.0, 0.5), def("bet", 10.0, 2.0)],
            constraints: Vec::new(),
            fixed: ParameterSet::default(),
            forked_from: None,
        });
        let progress = ProgressView::Tune(TuneView {
            theta: theta.to_vec(),
            suggested: [("alef".to_owned(), theta[0]), ("bet".to_owned(), theta[1].round())]
                .into_iter()
                .collect(),
            estimate: None,
            verdict: None,
            choices: Vec::new(),
            trace: Vec::new(),
        });
        view(id, name, state, job, progress)
    }

    /// A test that stands here.
    pub(crate) fn test(
        id: i64,
        name: &str,
        state: RunState,
        tune: Option<i64>,
        verdict: Option<Verdict>,
    ) -> RunView {
        let job = Job::Test(TestSpec {
            candidate: [("alef".to_owned(), 2.0)].into_iter().collect(),
            base: ParameterSet::default(),
            candidate_run: tune.map(RunId),
            sprt: Some(SPRT),
            max_pairs: Pairs(100),
            futility: 0.0,
        });
        let progress = ProgressView::Test(TestView {
            llr: Some(2.99),
            lower: Some(-2.94),
            upper: Some(2.94),
            elo: 40.0,
            elo_low: 21.0,
            elo_high: 60.0,
            normalized_elo: 61.5,
            los: 0.999,
            corrected: None,
            outlook: None,
            verdict,
            trace: Vec::new(),
        });
        view(id, name, state, job, progress)
    }

    fn view(id: i64, name: &str, state: RunState, job: Job, progress: ProgressView) -> RunView {
        RunView {
            id: RunId(id),
            kind: job.kind().to_owned(),
            spec: RunSpec {
                name: name.to_owned(),
                game: GameKind::TicTacToe,
                seed: 1,
                weight: 1.0,
                limit: GameLimit { nodes: Nodes(50), max_plies: Ply(300), hash_kib: 16 },
                book: "0a".repeat(32),
                lease_pairs: 8,
                keep: Keep::default(),
                job,
            },
            state,
            state_reason: String::new(),
            created_at_unix_ms: 0,
            ended_at_unix_ms: None,
            asked_pairs: 100,
            counted_pairs: 40,
            leased_pairs: 8,
            tally: Tally {
                pentanomial: Pentanomial([1, 2, 20, 10, 7]),
                wdl: Wdl { wins: 40, draws: 20, losses: 20 },
            },
            pairs_per_second: 4.0,
            eta_seconds: Some(15.0),
            leases: LeaseCounts::default(),
            reports: 5,
            progress,
        }
    }

    #[test]
    fn the_farthest_moves_come_first_in_units_of_c_end() {
        let run = tune(3, "t", RunState::Running, [0.5, 15.0]);
        assert_eq!(standing(&run), "bet +2.5  alef -1.0");
        let line = progress_line(&run);
        assert_eq!(line, "tune 3: 40 of 100 pairs, 4.0 pairs/s, 15 s left; bet +2.5  alef -1.0");
    }

    #[test]
    fn a_test_is_told_with_every_figure_and_a_plain_verdict() {
        let run = test(4, "t", RunState::Finished, None, Some(Verdict::Accepted));
        let text = describe(&run);
        for part in [
            "40 won, 20 drawn, 20 lost",
            "[1, 2, 20, 10, 7]  (LL, LD, LW+DD, DW, WW), 160 Elo is the deviation of a pair",
            "LLR          +2.99, bounds -2.94 and 2.94 (normalized Elo 0 against 10, α 0.05",
            "Elo          +40.0 ± 19.5 (95 %)",
            "verdict      accepted",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    /// However good it stood.
    #[test]
    fn a_test_stopped_by_hand_has_no_verdict() {
        let run = test(4, "t", RunState::Stopped, None, None);
        let text = describe(&run);
        assert!(text.contains("none: the test was stopped by hand"), "{text}");
        assert!(!text.contains("accepted"), "{text}");
    }

    #[test]
    fn a_race_shows_every_candidate_and_its_winner() {
        let text = describe(&race(4, RunState::Finished, Some(Verdict::Accepted)));
        for part in [
            "2 candidates, normalized Elo 0 against 10, α 0.05 for all together",
            "verdict      accepted: second is stronger",
            "-2.97 … 3.64",
            "+33.0 ± 21.0",
            "rejected",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        let stands = standing(&race(4, RunState::Running, None));
        assert!(stands.starts_with("1 open, 1 rejected, first second, LLR +3.70"), "{stands}");
        let text = describe(&race(4, RunState::Stopped, None));
        assert!(text.contains("none: the race was stopped by hand"), "{text}");
        assert!(!text.contains("accepted:") && !text.contains("winner"), "{text}");
    }

    #[test]
    fn a_match_is_played_to_its_end_and_has_no_verdict() {
        let mut run = test(4, "t", RunState::Finished, None, None);
        let (Job::Test(spec), ProgressView::Test(view)) = (&mut run.spec.job, &mut run.progress)
        else {
            panic!("a test")
        };
        spec.sprt = None;
        (view.llr, view.lower, view.upper) = (None, None, None);
        let text = describe(&run);
        assert!(text.contains("match        played to its end: Elo +40.0 ± 19.5"), "{text}");
        for part in ["verdict", "LLR", "inconclusive"] {
            assert!(!text.contains(part), "{part:?} is in\n{text}");
        }
        assert_eq!(standing(&run), "Elo +40.0 ± 19.5");
    }

    #[test]
    fn a_running_test_tells_what_to_expect_and_an_unbiased_elo() {
        let mut run = test(4, "t", RunState::Running, None, None);
        let ProgressView::Test(view) = &mut run.progress else { panic!("a test") };
        view.corrected =
            Some(CorrectedView { elo: 33.0, elo_low: 12.0, elo_high: 54.0, los: 0.9981 });
        view.outlook = Some(OutlookView {
            pass_probability: 0.874,
            mean_pairs: 30.4,
            median_pairs: 22.0,
            q95_pairs: 81.2,
        });
        let text = describe(&run);
        for part in [
            "corrected    +33.0 ± 21.0 (95 %), likelihood of superiority 99.8 %",
            "passes with 87 %, 61 more games on average, half of such tests below 44, 95 % below 162",
            "120 are left to play",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn a_futile_test_says_why_it_ended() {
        let mut run = test(4, "t", RunState::Finished, None, Some(Verdict::Inconclusive));
        let ended = |run: &RunView| match &run.progress {
            ProgressView::Test(view) => verdict(run, view),
            _ => panic!("a test"),
        };
        assert!(ended(&run).contains("did not reach either bound"));
        if let Job::Test(test) = &mut run.spec.job {
            test.futility = 0.05;
        }
        assert!(
            ended(&run).contains("a gain of 10 would pass within the budget with less than 5 %")
        );
        run.counted_pairs = run.asked_pairs;
        assert!(ended(&run).contains("did not reach either bound"));
    }

    #[test]
    fn a_tune_that_knows_how_sure_it_is_says_so() {
        let mut run = tune(3, "t", RunState::Running, [0.5, 15.0]);
        let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress)
        else {
            panic!("a tune")
        };
        assert!(describe_tune(spec, view).contains("optimizer    spsa\n"));
        spec.optimizer = OptimizerSpec::Bqr(BqrSettings::default());
        view.estimate = Some(TuneEstimate {
            deviation: vec![0.25, 1.5],
            signal_to_noise: vec![2.0, 3.34],
            gain: 8.16,
            gain_low: 3.0,
            gain_high: 13.3,
            remaining_loss: 1.24,
            pair_deviation: 121.7,
        });
        let text = describe_tune(spec, view);
        for part in [
            "optimizer    bqr\n",
            "+8.2 Elo over the start predicted, at least +3.0 (97.5 %), 1.2 left",
            "noise        122 Elo",
            "3.3",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(
            standing(&run).ends_with("predicted +8.2 Elo, at least +3.0"),
            "{}",
            standing(&run)
        );
    }

    #[test]
    fn choices_and_placebos_are_named() {
        use model::view::{ChoiceOdds, Convergence, TuneVerdict};
        let mut run = tune(3, "t", RunState::Running, [2.0, 15.0]);
        if let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress)
        {
            spec.parameters[0].kind = ParameterKind::Categorical;
            (spec.parameters[0].min, spec.parameters[0].max) = (1.0, 2.0);
            view.choices =
                vec![ChoiceOdds { name: "alef".to_owned(), probabilities: vec![0.04, 0.96] }];
            view.verdict = Some(TuneVerdict {
                convergence: Convergence::Moves,
                why: "on its way".to_owned(),
                chance: vec![0.04, 1e-4],
            });
        }
        let text = describe(&run);
        for part in [
            "verdict      still moves: on its way",
            "placebos     1 of 2 parameters",
            "choices      alef: best is 1 4 %, 2 96 %",
            "other choice",
            "placebo",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn of_very_many_parameters_those_that_moved_farthest_are_shown() {
        let mut run = tune(3, "t", RunState::Running, [0.5, 15.0]);
        if let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress)
        {
            let one = spec.parameters[0].clone();
            spec.parameters = (0..10_000)
                .map(|i| ParameterDef { name: format!("p{i}"), ..one.clone() })
                .collect();
            view.theta = (0..10_000).map(|i| 1.0 + f64::from(i) / 1000.0).collect();
        }
        let text = describe(&run);
        assert!(text.lines().count() < 230 && text.contains("p9999 ") && !text.contains("p9000 "));
        assert!(text.contains("the 200 of 10000 parameters that moved farthest"), "{text}");
    }

    fn describe_tune(spec: &TuneSpec, view: &TuneView) -> String {
        format!("{}\n{}", optimizer_lines(spec, view).join("\n"), tuned_table(spec, view))
    }

    #[test]
    fn the_tuned_value_is_what_a_user_would_set() {
        let run = tune(3, "t", RunState::Finished, [0.5, 15.4]);
        let text = describe(&run);
        assert!(text.contains("15 ") && text.contains("+2.7"), "{text}");
    }
}
