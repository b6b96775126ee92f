//! What a demo plays: the two example files, with the numbers that the command line changes.

use crate::books::Book;
use crate::{calibrate, filing};
use anyhow::Context;
use model::file::{CandidateFile, JobFile, RunFile, TestFile, TuneFile};
use model::spec::{Job, RunSpec};
use model::view::RunView;
use model::{Nodes, Pairs};
use std::path::Path;

const TUNE_NAME: &str = "examples/xiangqi-tune.toml";
const TUNE_TEXT: &str = include_str!("../../../../examples/xiangqi-tune.toml");
const TEST_NAME: &str = "examples/xiangqi-test.toml";
const TEST_TEXT: &str = include_str!("../../../../examples/xiangqi-test.toml");

/// Both files, changed as asked.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    tune: RunFile,
    test: RunFile,
    /// The tune's budget as its file has it: what the test's budget was chosen for.
    usual_pairs: Pairs,
}

impl Plan {
    /// Reads the files.
    ///
    /// # Errors
    /// A file has a mistake, or an argument makes one.
    pub(super) fn new(
        pairs: Option<u64>,
        nodes: Option<u64>,
        seed: Option<u64>,
    ) -> anyhow::Result<Self> {
        let mut tune = RunFile::parse(TUNE_TEXT).context(TUNE_NAME)?;
        let mut test = RunFile::parse(TEST_TEXT).context(TEST_NAME)?;
        for file in [&mut tune, &mut test] {
            file.limit.nodes = nodes.map_or(file.limit.nodes, Nodes);
        }
        if let Some(seed) = seed {
            tune.seed = seed;
            // The test draws its openings by a seed of its own.
            test.seed = seed.wrapping_add(1);
        }
        let usual_pairs = tune_of(&mut tune)?.pairs;
        let mut plan = Self { tune, test, usual_pairs };
        if let Some(pairs) = pairs {
            tune_of(&mut plan.tune)?.pairs = Pairs(pairs);
        }
        plan.tune()?;
        Ok(plan)
    }

    /// The tune.
    ///
    /// # Errors
    /// The file does not suit the engine.
    pub(super) fn tune(&self) -> anyhow::Result<(RunSpec, Book)> {
        filing::resolve(Path::new(TUNE_NAME), &self.tune, Vec::new())
    }

    /// The tune, with the pairs that this machine plays in so many minutes.
    ///
    /// # Errors
    /// As [`Plan::tune`], or the engine does not play.
    pub(super) fn tune_for(&self, minutes: f64, slots: usize) -> anyhow::Result<(RunSpec, Book)> {
        let (spec, book) = self.tune()?;
        let Job::Tune(tune) = &spec.job else { anyhow::bail!("{TUNE_NAME} is no tune") };
        let start = tune.parameters.iter().map(|def| (def.name.clone(), def.start)).collect();
        let rate = calibrate::pairs_per_second(&spec, &start, &book, slots)?;
        let mut file = self.tune.clone();
        let pairs = calibrate::pairs_for(rate, minutes, spec.lease_pairs, slots);
        tune_of(&mut file)?.pairs = Pairs(pairs);
        filing::resolve(Path::new(TUNE_NAME), &file, Vec::new())
    }

    /// The test of a finished tune against its start.
    ///
    /// # Errors
    /// The file does not suit the engine, or the run is no tune.
    pub(super) fn test(&self, tune: &RunView) -> anyhow::Result<(RunSpec, Book)> {
        let mut file = self.test.clone();
        // A continued demo is tested at the limits that it was tuned at.
        file.limit = tune.spec.limit;
        let usual = self.usual_pairs.0.max(1) as f64;
        let share = tune.asked_pairs as f64 / usual;
        let test = test_of(&mut file)?;
        test.candidate = CandidateFile::Run(tune.id);
        let pairs = (test.max_pairs.0 as f64 * share).ceil().max(1.0);
        test.max_pairs = Pairs(pairs as u64);
        filing::resolve(Path::new(TEST_NAME), &file, vec![filing::tuned(tune)?])
    }
}

fn tune_of(file: &mut RunFile) -> anyhow::Result<&mut TuneFile> {
    match &mut file.job {
        JobFile::Tune(tune) => Ok(tune),
        JobFile::Test(_) | JobFile::Race(_) => anyhow::bail!("{TUNE_NAME} is no tune"),
    }
}

fn test_of(file: &mut RunFile) -> anyhow::Result<&mut TestFile> {
    match &mut file.job {
        JobFile::Test(test) => Ok(test),
        JobFile::Tune(_) | JobFile::Race(_) => anyhow::bail!("{TEST_NAME} is no test"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::tune;
    use model::view::RunState;

    #[test]
    fn the_arguments_change_both_files() {
        let plan = Plan::new(Some(48), Some(60), Some(9)).unwrap();
        let (spec, _) = plan.tune().unwrap();
        assert_eq!(
            (spec.job.pairs_asked(), spec.limit.nodes, spec.seed),
            (Pairs(48), Nodes(60), 9)
        );
        let Job::Tune(job) = &spec.job else { panic!("no tune") };
        assert_eq!(job.parameters.len(), 8);
        assert!(spec.name.starts_with("demo:"));
        assert_eq!((plan.test.limit.nodes, plan.test.seed), (Nodes(60), 10));
        assert!(plan.test.name.starts_with("demo:"));
    }

    #[test]
    fn the_test_meets_the_start_of_the_tune_with_a_budget_in_proportion() {
        let plan = Plan::new(None, None, None).unwrap();
        let (spec, _) = plan.tune().unwrap();
        let Job::Tune(job) = &spec.job else { panic!("no tune") };
        let usual = job.pairs.0;
        let mut view = tune(7, "demo: t", RunState::Finished, [1.0, 1.0]);
        view.asked_pairs = usual / 2;
        let moved = job.parameters[0].start + 1.0;
        let moved = [(job.parameters[0].name.clone(), moved)].into_iter().collect();
        if let model::view::ProgressView::Tune(progress) = &mut view.progress {
            progress.suggested = moved;
        }
        view.spec = spec.clone();
        let (test, _) = plan.test(&view).unwrap();
        let Job::Test(test) = test.job else { panic!("no test") };
        assert_eq!(test.candidate_run, Some(model::RunId(7)));
        assert_eq!(test.base.get(&job.parameters[0].name), Some(job.parameters[0].start));
        let JobFile::Test(file) = &plan.test.job else { panic!("no test") };
        assert_eq!(test.max_pairs.0, file.max_pairs.0.div_ceil(2));
    }
}
