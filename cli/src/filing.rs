//! From an author's file to a filed run: read, checked against the engine, sent with its book.

use crate::books::Book;
use crate::client::Control;
use crate::endpoint::{CoordinatorArgs, Locator};
use crate::output::{hinted, json, line, say};
use crate::{display::Display, follow, interrupt::Interrupt};
use anyhow::Context;
use model::file::{JobFile, KnownEngine, RunFile, Surroundings, Tuned};
use model::spec::{Job, KeepMoves, OptimizerKind, RunSpec};
use model::view::{ProgressView, RunView, Verdict};
use model::{Finding, FindingList, GameKind, Nodes, Pairs, ParameterDef, ParameterSet, RunId};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Files a run from a TOML file.
#[derive(clap::Args, Debug)]
pub(crate) struct FileArgs {
    /// The run as a TOML file; `examples/` has some
    file: PathBuf,
    /// Watch the run to its end
    #[arg(long)]
    follow: bool,
    /// Only check the file, against the built-in engine
    #[arg(long, conflicts_with = "follow")]
    check: bool,
    /// Whose moves stay in the ledger, whatever the file says: all, none, or a share as sample=1%
    #[arg(long, value_name = "SHARE")]
    keep_moves: Option<KeepMoves>,
    /// Keep score, depth, nodes and time of each move, too
    #[arg(long)]
    keep_evals: bool,
    /// Print JSON: the id, then with --follow each state
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// Reads a file and says everything that is wrong with it.
pub(crate) fn read(path: &Path) -> anyhow::Result<RunFile> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    RunFile::parse(&text).map_err(|FindingList(findings)| refused(path, &findings))
}

/// What the built-in engine knows of a game.
pub(crate) fn known_parameters(game: GameKind) -> Vec<ParameterDef> {
    engine::definitions(game).iter().map(ParameterDef::from).collect()
}

/// A complete specification and its book.
pub(crate) fn resolve(
    path: &Path,
    file: &RunFile,
    tuned: Vec<Tuned>,
) -> anyhow::Result<(RunSpec, Book)> {
    resolve_with(path, file, tuned, Vec::new())
}

/// The same of a run that published engines may play.
pub(crate) fn resolve_with(
    path: &Path,
    file: &RunFile,
    tuned: Vec<Tuned>,
    engines: Vec<KnownEngine>,
) -> anyhow::Result<(RunSpec, Book)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let book = Book::open(&file.book, file.game, folder)?;
    let known = known_parameters(file.game);
    let surroundings = Surroundings {
        known: &known,
        book_sha256: book.sha256.clone(),
        tuned,
        engines,
        speed: file.needs_speed().then(|| own_speed(file.game)),
    };
    let spec =
        file.resolve(&surroundings).map_err(|FindingList(findings)| refused(path, &findings))?;
    if let Job::Tune(tune) = &spec.job {
        // What only the optimiser can see: the room that constraints leave, its own limits.
        let block = Pairs(u64::from(spec.lease_pairs));
        tune::Tuner::new(tune, block, spec.seed)
            .map_err(|FindingList(findings)| refused(path, &findings))?;
    }
    Ok((spec, book))
}

/// The published engines, if a run names any.
///
/// # Errors
/// The coordinator does not answer.
pub(crate) async fn published(
    control: &mut Control,
    names: &[&str],
) -> anyhow::Result<Vec<KnownEngine>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    Ok(control.engines().await?.into_iter().map(|published| published.known).collect())
}

/// How fast this machine is, for times that are meant for it: nodes a second of the benchmark of the
/// engine built in, on one core.
pub(crate) fn own_speed(game: GameKind) -> Nodes {
    let began = std::time::Instant::now();
    let nodes = engine::bench::bench(game);
    Nodes((nodes.0 as f64 / began.elapsed().as_secs_f64().max(1e-6)) as u64)
}

/// What a test needs of the run that its candidate comes from: what a tune suggests, its fixed values
/// on both sides, or what a test or race has accepted.
pub(crate) fn tuned(run: &RunView) -> anyhow::Result<Tuned> {
    if let Some((suggested, start)) = accepted(run) {
        return Ok(Tuned { run: run.id, start: start.clone(), suggested: suggested.clone() });
    }
    let (Job::Tune(spec), ProgressView::Tune(view)) = (&run.spec.job, &run.progress) else {
        return Err(hinted(
            format_args!("run {} is a {} that has accepted nothing", run.id, run.kind),
            "a candidate comes from a tune, or from a test or race that was accepted; `elomill runs \
             list` shows them",
        ));
    };
    let with_fixed = |values: ParameterSet| {
        let mut set = spec.fixed.clone();
        set.0.extend(values.0);
        set
    };
    let start = spec.parameters.iter().map(|def| (def.name.clone(), def.start)).collect();
    Ok(Tuned {
        run: run.id,
        start: with_fixed(start),
        suggested: with_fixed(view.suggested.clone()),
    })
}

/// What a test, or a race as its winner, has accepted, and the base that it beat.
pub(crate) fn accepted(run: &RunView) -> Option<(&ParameterSet, &ParameterSet)> {
    let accepted = Some(Verdict::Accepted);
    match (&run.spec.job, &run.progress) {
        (Job::Test(test), ProgressView::Test(view)) if view.verdict == accepted => {
            Some((&test.candidate, &test.base))
        }
        (Job::Race(race), ProgressView::Race(view)) if view.verdict == accepted => {
            let winner = race.candidates.get(view.winner?)?;
            Some((&winner.values, &race.base))
        }
        _ => None,
    }
}

/// A file with everything that is wrong with it.
pub(crate) fn refused(path: &Path, findings: &[Finding]) -> anyhow::Error {
    let count = match findings.len() {
        1 => "a mistake".to_owned(),
        n => format!("{n} mistakes"),
    };
    let list: Vec<_> =
        findings.iter().map(|finding| format!("{}: {finding}", path.display())).collect();
    anyhow::anyhow!("{} has {count}\n{}", path.display(), list.join("\n"))
}

impl FileArgs {
    /// Files the run; `command` is the one that was typed, `tune` or `test`. An optimiser takes the
    /// place of the file's own.
    pub(crate) async fn file(
        self,
        command: &str,
        optimizer: Option<OptimizerKind>,
    ) -> anyhow::Result<ExitCode> {
        let mut file = read(&self.file)?.keeping(self.keep_moves, self.keep_evals);
        if let Some(optimizer) = optimizer {
            file = file.with_optimizer(optimizer);
        }
        let right = match file.job {
            JobFile::Tune(_) => "tune",
            // Whatever compares candidates with a base.
            JobFile::Test(_) | JobFile::Race(_) => "test",
        };
        if command != right {
            return Err(hinted(
                format_args!("{} describes a {}", self.file.display(), file.job.kind()),
                format_args!("elomill {right} {}", self.file.display()),
            ));
        }
        if self.check {
            return self.check_only(&file).await;
        }
        let locator = self.coordinator.locator()?;
        let mut control = Control::connect(&locator).await?;
        let mut results = Vec::new();
        for run in file.candidate_runs() {
            results.push(tuned(&control.run(run).await?)?);
        }
        let engines = published(&mut control, &file.engine_names()).await?;
        let (spec, book) = resolve_with(&self.file, &file, results, engines)?;
        say_handed_over(&spec);
        let run = control.create(&spec, &book.bytes).await?;
        self.announce(run, &control.page(run))?;
        if self.follow { self.watch(&locator, run).await } else { Ok(ExitCode::SUCCESS) }
    }

    async fn check_only(&self, file: &RunFile) -> anyhow::Result<ExitCode> {
        // The result of a tune is in the ledger: all else is checked with stand-ins of it, the engine's
        // defaults with one of them moved by another amount for each.
        let known = known_parameters(file.game);
        let stand_in = |(place, run): (usize, RunId)| {
            let mut suggested: ParameterSet =
                known.iter().map(|def| (def.name.clone(), def.start)).collect();
            if let Some(def) = known.first() {
                suggested.set(def.name.clone(), def.start + place as f64);
            }
            Tuned { run, start: ParameterSet::default(), suggested }
        };
        let tuned = file.candidate_runs().into_iter().enumerate().map(stand_in).collect();
        let engines = match file.engine_names()[..] {
            [] => Vec::new(),
            ref names => {
                let mut control = Control::connect(&self.coordinator.locator()?).await?;
                published(&mut control, names).await?
            }
        };
        let (spec, book) = resolve_with(&self.file, file, tuned, engines)?;
        say_handed_over(&spec);
        if self.json {
            json(&spec)?;
        } else {
            line(format_args!(
                "{}: a good {} of {} in {} pairs, book of {} positions",
                self.file.display(),
                spec.job.kind(),
                spec.game,
                spec.job.pairs_asked(),
                book.positions().len()
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn announce(&self, run: RunId, page: &str) -> anyhow::Result<()> {
        if self.json {
            json(&serde_json::json!({ "id": run, "page": page }))?;
        } else {
            line(run)?;
            say(format_args!("live page: {page}"));
            if !self.follow {
                say(format_args!("watch it: elomill watch {run}"));
            }
        }
        Ok(())
    }

    async fn watch(&self, locator: &Locator, run: RunId) -> anyhow::Result<ExitCode> {
        let interrupt = Interrupt::listen()?;
        watch_to_end(locator, run, &interrupt, self.json).await
    }
}

/// Says it where another optimiser acts than the one that was asked for.
fn say_handed_over(spec: &RunSpec) {
    if let Job::Tune(tune) = &spec.job
        && let Some(why) = tune.handed_over()
    {
        say(why);
    }
}

/// Watches a run and says how it ended.
pub(crate) async fn watch_to_end(
    locator: &Locator,
    run: RunId,
    interrupt: &Interrupt,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let mut display = if as_json { Display::Silent } else { Display::new() };
    let each = |view: &RunView| if as_json { json(view) } else { Ok(()) };
    let followed = follow::follow(locator, run, interrupt, &mut display, each).await?;
    match followed {
        follow::Followed::Over(view) => {
            if !as_json {
                line(crate::summary::describe(&view))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        follow::Followed::Interrupted => {
            say(format_args!(
                "run {run} goes on without you; look again with `elomill watch {run}`"
            ));
            Ok(ExitCode::FAILURE)
        }
    }
}
