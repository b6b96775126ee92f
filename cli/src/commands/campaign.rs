//! `elomill campaign`: groups of parameters are tuned in turn, each result is tested against the
//! champion, and crowned if it is accepted, never otherwise.
//!
//! The campaign is kept in a journal beside its file and its runs in the coordinator's ledger. The
//! key of each run is in the journal's hands before the run is filed, so that a campaign that was
//! ended by anything goes on when it is started again, and files nothing twice.

mod journal;
mod regression;

use crate::books::Book;
use crate::client::Control;
use crate::display::Display;
use crate::endpoint::{CoordinatorArgs, Locator};
use crate::filing::{known_parameters, published, refused, resolve_with};
use crate::follow::{Followed, follow};
use crate::interrupt::Interrupt;
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, number, table};
use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use journal::{Journal, Outcome, Step};
use model::file::{CampaignFile, KnownEngine, RunFile, Surroundings};
use model::spec::Job;
use model::view::{ProgressView, RunView, Verdict};
use model::{FindingList, ParameterDef, ParameterSet, RunId};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Begins a campaign, or goes on with one where it was
    Start(Start),
    /// Measures the champion against the fixed baseline in a match of its own, once more
    Regress(Start),
    /// Shows the steps of a campaign, its champion and the total gain
    Show(Show),
}

#[derive(Debug, clap::Args)]
struct Start {
    /// The campaign as a TOML file; its journal is kept beside it
    file: PathBuf,
    /// Print one JSON object for each step, and the champion at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The campaign as a TOML file
    file: PathBuf,
    /// The steps for people; the champion for run files, engines or scripts
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Print the whole journal as one JSON object
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Toml,
    Uci,
}

impl Args {
    /// # Errors
    /// The file has mistakes, the journal is one of another file, or no coordinator takes a run.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Start(args) => args.run().await,
            What::Regress(args) => args.regress().await,
            What::Show(args) => args.run(),
        }
    }
}

impl Show {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (file, journal) = open(&self.file)?;
        if self.json {
            json(&journal)?;
            return Ok(ExitCode::SUCCESS);
        }
        match self.format {
            Format::Table => {
                line(steps_table(&journal.steps))?;
                line(regression::total(&file, &journal))?;
            }
            Format::Toml => {
                line("[champion]")?;
                for (name, value) in &journal.champion.0 {
                    line(format_args!("{name} = {value}"))?;
                }
            }
            Format::Uci => {
                for (name, value) in &journal.champion.0 {
                    line(format_args!("setoption name {name} value {value}"))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The file of a campaign, and the journal beside it; a fresh one if there is none.
fn open(path: &Path) -> anyhow::Result<(CampaignFile, Journal)> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file =
        CampaignFile::parse(&text).map_err(|FindingList(findings)| refused(path, &findings))?;
    let journal = Journal::open(path, &text, &file.champion)?;
    Ok((file, journal))
}

impl Start {
    /// Everything that was asked, checked; nothing is filed yet.
    async fn begin(&self) -> anyhow::Result<Campaign<'_>> {
        let (file, journal) = open(&self.file)?;
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let book = Book::open(&file.book, file.game, folder)?;
        let locator = self.coordinator.locator()?;
        let engines = match file.engine_names()[..] {
            [] => Vec::new(),
            ref names => published(&mut Control::connect(&locator).await?, names).await?,
        };
        let of_candidate =
            |engine: &&KnownEngine| file.players.candidate.engine.as_ref() == Some(&engine.name);
        let known = match engines.iter().find(of_candidate) {
            Some(engine) => engine.parameters.clone(),
            None => known_parameters(file.game),
        };
        let builtin = known_parameters(file.game);
        let around = Surroundings {
            known: &builtin,
            book_sha256: book.sha256.clone(),
            tuned: Vec::new(),
            engines: engines.clone(),
            speed: None,
        };
        file.check(&around).map_err(|FindingList(findings)| refused(&self.file, &findings))?;
        let campaign = Campaign {
            path: &self.file,
            locator,
            interrupt: Interrupt::listen()?,
            as_json: self.json,
            file,
            known,
            engines,
            journal,
        };
        campaign.journal.save()?;
        Ok(campaign)
    }

    async fn run(self) -> anyhow::Result<ExitCode> {
        let mut campaign = self.begin().await?;
        for step in 0..campaign.file.steps() {
            if !campaign.step(step).await? {
                say("the campaign waits; start it again to go on");
                return Ok(ExitCode::FAILURE);
            }
        }
        if !campaign.measure(regression::When::IfNew).await? {
            say("the match against the baseline goes on without you; start again to wait for it");
            return Ok(ExitCode::FAILURE);
        }
        let (file, journal) = (&campaign.file, &campaign.journal);
        if self.json {
            let regression = regression::latest(file, journal);
            json(&serde_json::json!({ "champion": journal.champion, "regression": regression }))?;
        } else {
            line(steps_table(&journal.steps))?;
            line(regression::total(file, journal))?;
            say(format_args!(
                "the champion: elomill campaign show {} --format toml",
                self.file.display()
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Start {
    async fn regress(self) -> anyhow::Result<ExitCode> {
        let mut campaign = self.begin().await?;
        if !campaign.measure(regression::When::Always).await? {
            say("the match goes on without you; the same command waits for it");
            return Ok(ExitCode::FAILURE);
        }
        let (file, journal) = (&campaign.file, &campaign.journal);
        if self.json {
            json(&regression::latest(file, journal))?;
        } else {
            line(regression::total(file, journal))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A campaign at work.
struct Campaign<'a> {
    path: &'a Path,
    locator: Locator,
    interrupt: Interrupt,
    as_json: bool,
    file: CampaignFile,
    /// Of the engine that is tuned.
    known: Vec<ParameterDef>,
    /// Those that are published, if the campaign names some.
    engines: Vec<KnownEngine>,
    journal: Journal,
}

impl Campaign<'_> {
    /// Takes one step to its end, from where the journal has it. Whether it came to an end.
    async fn step(&mut self, number: usize) -> anyhow::Result<bool> {
        if self.journal.steps.len() == number {
            let (group, round) = self.file.step(number);
            self.journal.steps.push(Step::new(&group.name, round));
            self.journal.save()?;
        }
        if self.journal.steps[number].outcome.is_some() {
            return Ok(true);
        }
        let champion = self.journal.champion.clone();
        let tune = self.file.tune(number, &champion);
        let key = format!("{number}-tune");
        let id = self.filed(&key, self.journal.steps[number].tune, &tune, None).await?;
        self.journal.steps[number].tune = Some(id);
        self.journal.save()?;
        let Some(tuned) = self.to_the_end(id).await? else { return Ok(false) };

        let candidate = candidate(&tuned, &champion, &self.known)?;
        if candidate == champion {
            return self.end(number, Outcome::Unmoved).map(|()| true);
        }
        self.journal.steps[number].candidate = Some(candidate.clone());
        let test = self.file.test(number, candidate.clone(), &champion);
        let known = self.journal.steps[number].test;
        let test = self.filed(&format!("{number}-test"), known, &test, Some(id)).await?;
        self.journal.steps[number].test = Some(test);
        self.journal.save()?;
        let Some(tested) = self.to_the_end(test).await? else { return Ok(false) };

        let ProgressView::Test(view) = &tested.progress else {
            return Err(anyhow::anyhow!("run {test} is not the test that was filed"));
        };
        self.journal.steps[number].elo = view.corrected;
        let outcome = if view.verdict == Some(Verdict::Accepted) {
            self.journal.champion = candidate;
            Outcome::Crowned
        } else {
            Outcome::Kept
        };
        self.end(number, outcome).map(|()| true)
    }

    fn end(&mut self, number: usize, outcome: Outcome) -> anyhow::Result<()> {
        self.journal.steps[number].outcome = Some(outcome);
        // Outcome and champion are written together.
        self.journal.save()?;
        let step = &self.journal.steps[number];
        if self.as_json {
            return json(step);
        }
        say(format_args!(
            "step {} of {}, {}: {}",
            number + 1,
            self.file.steps(),
            model::printable(&step.group, 40),
            outcome.text()
        ));
        Ok(())
    }

    /// The id of a run: the one that is known, or that of a run filed with the key that belongs to it
    /// alone.
    async fn filed(
        &self,
        key: &str,
        known: Option<RunId>,
        run: &RunFile,
        tune: Option<RunId>,
    ) -> anyhow::Result<RunId> {
        if let Some(id) = known {
            return Ok(id);
        }
        let (mut spec, book) = resolve_with(self.path, run, Vec::new(), self.engines.clone())?;
        if let Job::Test(test) = &mut spec.job {
            test.candidate_run = tune;
        }
        let mut control = Control::connect(&self.locator).await?;
        let key = format!("{}-{key}", self.journal.key);
        let id = control.create_as(&spec, &book.bytes, key).await?;
        if !self.as_json {
            let page = control.page(id);
            let what = spec.job.kind();
            say(format_args!("{what} {id}: {}: {page}", model::printable(&spec.name, 120)));
        }
        Ok(id)
    }

    async fn to_the_end(&self, run: RunId) -> anyhow::Result<Option<Box<RunView>>> {
        let mut display = if self.as_json { Display::Silent } else { Display::new() };
        match follow(&self.locator, run, &self.interrupt, &mut display, |_| Ok(())).await? {
            Followed::Over(view) => Ok(Some(view)),
            Followed::Interrupted => Ok(None),
        }
    }
}

/// The champion with what a tune suggests in its place, where that differs in effect.
fn candidate(
    tuned: &RunView,
    champion: &ParameterSet,
    known: &[ParameterDef],
) -> anyhow::Result<ParameterSet> {
    let ProgressView::Tune(view) = &tuned.progress else {
        return Err(hinted(
            format_args!("run {} is not the tune that was filed", tuned.id),
            "the journal belongs to another coordinator's ledger",
        ));
    };
    let default = |name: &str| known.iter().find(|def| def.name == name).map(|def| def.start);
    let mut candidate = champion.clone();
    for (name, value) in &view.suggested.0 {
        if champion.get(name).or_else(|| default(name)) != Some(*value) {
            candidate.set(name.clone(), *value);
        }
    }
    Ok(candidate)
}

fn steps_table(steps: &[Step]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("round"),
        Text("group"),
        Number("tune"),
        Number("test"),
        Text("outcome"),
        Text("Elo against the champion of its time, corrected, 95 %"),
    ];
    let id = |run: Option<RunId>| run.map_or("–".to_owned(), |run| run.to_string());
    let rows: Vec<_> = steps
        .iter()
        .map(|step| {
            let elo = step.elo.map_or(String::new(), |elo| {
                format!("{:+.1} ({:+.1} … {:+.1})", elo.elo, elo.elo_low, elo.elo_high)
            });
            vec![
                number(step.round as f64),
                step.group.clone(),
                id(step.tune),
                id(step.test),
                step.outcome.map_or("under way", Outcome::text).to_owned(),
                elo,
            ]
        })
        .collect();
    table(&columns, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::tune;
    use model::ParameterKind;
    use model::view::RunState;

    #[test]
    fn only_what_differs_in_effect_makes_a_candidate() {
        let def = |name: &str, start| ParameterDef {
            name: name.to_owned(),
            kind: ParameterKind::Float,
            start,
            min: -100.0,
            max: 100.0,
            c_end: 1.0,
            r_end: 0.002,
        };
        let known = [def("alef", 1.0), def("bet", 10.0)];
        let run = tune(3, "t", RunState::Finished, [1.0, 12.0]);
        let champion = ParameterSet::from_iter([("bet".to_owned(), 11.0)]);
        let moved = candidate(&run, &champion, &known).unwrap();
        assert_eq!(moved, ParameterSet::from_iter([("bet".to_owned(), 12.0)]));
        let champion = ParameterSet::from_iter([("bet".to_owned(), 12.0)]);
        assert_eq!(candidate(&run, &champion, &known).unwrap(), champion, "nothing moved");
    }
}
