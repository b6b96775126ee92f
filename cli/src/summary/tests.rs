//! Runs made up for the purpose, in words; other modules' tests take the same runs.

use super::*;
use model::spec::{
    BqrSettings, Canaries, EloModel, GameLimit, Keep, RaceCandidate, RaceSpec, RaceStop, RunSpec,
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
            limit: GameLimit::new(Nodes(50), Ply(300), 16),
            book: "0a".repeat(32),
            book_order: model::spec::BookOrder::Random,
            lease_pairs: 8,
            lease_seconds: 60,
            keep: Keep::default(),
            canaries: Canaries::default(),
            players: None,
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
        excluded_pairs: 0,
        excluded_reports: 0,
        audited_pairs: 0,
        mismatched_pairs: 0,
        recorded_llr: None,
        warning: String::new(),
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
    let (Job::Test(spec), ProgressView::Test(view)) = (&mut run.spec.job, &mut run.progress) else {
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
    view.corrected = Some(CorrectedView { elo: 33.0, elo_low: 12.0, elo_high: 54.0, los: 0.9981 });
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
    assert!(ended(&run).contains("a gain of 10 would pass within the budget with less than 5 %"));
    run.counted_pairs = run.asked_pairs;
    assert!(ended(&run).contains("did not reach either bound"));
}

#[test]
fn a_tune_that_knows_how_sure_it_is_says_so() {
    let mut run = tune(3, "t", RunState::Running, [0.5, 15.0]);
    let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress) else {
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
    assert!(standing(&run).ends_with("predicted +8.2 Elo, at least +3.0"), "{}", standing(&run));
}

#[test]
fn choices_and_placebos_are_named() {
    use model::view::{ChoiceOdds, Convergence, TuneVerdict};
    let mut run = tune(3, "t", RunState::Running, [2.0, 15.0]);
    if let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress) {
        spec.parameters[0].kind = ParameterKind::Categorical;
        (spec.parameters[0].min, spec.parameters[0].max) = (1.0, 2.0);
        view.choices =
            vec![ChoiceOdds { name: "alef".to_owned(), probabilities: vec![0.04, 0.96] }];
        view.verdict = Some(TuneVerdict {
            convergence: Convergence::Moves,
            why: "on its way".to_owned(),
            chance: vec![0.04, 1e-4],
            noise: Vec::new(),
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
    if let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress) {
        let one = spec.parameters[0].clone();
        spec.parameters =
            (0..10_000).map(|i| ParameterDef { name: format!("p{i}"), ..one.clone() }).collect();
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
