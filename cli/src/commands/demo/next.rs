//! What a demo has to do, from what the ledger has. Pure.

use model::RunId;
use model::spec::Job;
use model::view::{ProgressView, RunState, RunView};

/// The next step of a demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Begin.
    Tune,
    /// Go on with what an earlier start began; without a test, one is due when the tune is over.
    Continue { tune: RunId, test: Option<RunId> },
}

/// Whether a run was filed by a demo.
pub(super) fn is_demo(run: &RunView) -> bool {
    run.spec.name.starts_with("demo:")
}

/// Whether a tune is over and suggests the very values that it started from.
pub(super) fn moved_nothing(run: &RunView) -> bool {
    match (&run.spec.job, &run.progress) {
        (Job::Tune(spec), ProgressView::Tune(view)) if run.state == RunState::Finished => spec
            .parameters
            .iter()
            .all(|def| view.suggested.get(&def.name).is_none_or(|value| value == def.start)),
        _ => false,
    }
}

/// Decides by the newest run of a demo: a test that is over, or a run stopped by hand, ends it.
pub(super) fn next(runs: &[RunView]) -> Next {
    let Some(newest) = runs.iter().filter(|run| is_demo(run)).max_by_key(|run| run.id) else {
        return Next::Tune;
    };
    match &newest.spec.job {
        Job::Tune(_) if newest.state != RunState::Stopped && !moved_nothing(newest) => {
            Next::Continue { tune: newest.id, test: None }
        }
        Job::Test(test) if !newest.state.is_over() => match test.candidate_run {
            Some(tune) => Next::Continue { tune, test: Some(newest.id) },
            None => Next::Tune,
        },
        Job::Tune(_) | Job::Test(_) | Job::Race(_) => Next::Tune,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{test, tune};
    use model::view::RunState::{Finished, Paused, Running, Stopped};
    use model::view::Verdict;

    #[test]
    fn a_demo_goes_on_where_it_was_cut_off() {
        let tune = |id, state| tune(id, "demo: t", state, [1.5, 10.0]);
        let test = |id, state, of| test(id, "demo: s", state, of, None);
        let go_on =
            |tune, test: Option<i64>| Next::Continue { tune: RunId(tune), test: test.map(RunId) };
        for (runs, expected) in [
            (vec![], Next::Tune),
            (vec![tune(1, Running)], go_on(1, None)),
            (vec![tune(1, Paused)], go_on(1, None)),
            (vec![tune(1, Finished)], go_on(1, None)),
            (vec![tune(1, Stopped)], Next::Tune),
            (vec![test(2, Running, Some(1)), tune(1, Finished)], go_on(1, Some(2))),
            (vec![test(2, Finished, Some(1)), tune(1, Finished)], Next::Tune),
            (vec![test(2, Stopped, Some(1)), tune(1, Finished)], Next::Tune),
            (vec![tune(3, Running), test(2, Running, Some(1))], go_on(3, None)),
        ] {
            let shown: Vec<_> = runs.iter().map(|run| (run.id, run.state)).collect();
            assert_eq!(next(&runs), expected, "{shown:?}");
        }
    }

    #[test]
    fn a_tune_that_moved_nothing_has_no_test_to_go_on_with() {
        let still = |state| tune(1, "demo: t", state, [1.0, 10.0]);
        assert_eq!(next(&[still(Finished)]), Next::Tune);
        assert_ne!(next(&[still(Running)]), Next::Tune);
    }

    #[test]
    fn runs_of_others_are_left_alone() {
        let runs = [
            tune(5, "mine", Running, [1.0, 10.0]),
            test(2, "demo: s", Finished, Some(1), Some(Verdict::Accepted)),
        ];
        assert_eq!(next(&runs), Next::Tune);
    }
}
