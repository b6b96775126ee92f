//! The author's TOML file, read into what it says: `elomill tune FILE`, `elomill test FILE`.
//!
//! Reading has two steps. [`RunFile::parse`] takes the text alone and finds everything that is wrong
//! in it, each with its line. [`RunFile::resolve`] adds what only the caller knows (the engine's
//! parameters, the hash of the book, the result of a tune) and yields a valid [`RunSpec`]. Neither
//! does any I/O.

mod adjudication;
mod campaign;
mod engine;
mod lines;
mod players;
mod race;
mod reader;
mod reference;
mod resolve;
mod set;
#[cfg(test)]
mod tests;

use crate::spec::{
    BookOrder, BqrSettings, Canaries, EloModel, GainRule, GameLimit, Keep, KeepMoves,
    OptimizerKind, RunSpec, SprtSpec, SpsaSettings,
};
use crate::{FindingList, GameKind, LinearConstraint, Pairs, ParameterKind, ParameterSet, RunId};
use lines::Lines;
use reader::{Reader, Section};

pub use campaign::{CampaignFile, Group};
pub use engine::{EngineBench, EngineFile, EngineSource, Recipe};
pub use players::{KnownEngine, PlayerFile, PlayersFile};
pub use race::{RaceCandidateFile, RaceFile};
pub use reference::{FieldReference, FileReference, references};
pub use resolve::{Surroundings, Tuned};
pub use set::parse_set;

/// What a file says, before the engine and the book are known.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFile {
    /// For people.
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// Source of all randomness; 1 when the file names none.
    pub seed: u64,
    /// Share of the cluster; 1 when the file names none.
    pub weight: f64,
    /// Pairs of one lease; 8 when the file names none.
    pub lease_pairs: u32,
    /// How long a lease shall take, in seconds; 60 when the file says nothing.
    pub lease_seconds: u32,
    /// Where the openings come from.
    pub book: BookChoice,
    /// How they are taken from there.
    pub book_order: BookOrder,
    /// Limits of the games.
    pub limit: GameLimit,
    /// Who plays.
    pub players: PlayersFile,
    /// What the ledger keeps of the games; all moves and no evaluations when the file says nothing.
    pub keep: Keep,
    /// How often the base plays itself besides.
    pub canaries: Canaries,
    /// What the games are for.
    pub job: JobFile,
    /// Where everything stood.
    lines: Lines,
}

/// Where the openings of a run come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookChoice {
    /// The book of this game that the program carries.
    Builtin,
    /// A file of openings, one position a line or in another form that its ending tells; a relative path
    /// counts from the run file's folder.
    File(String),
    /// The first half-moves of the games of a file.
    Games {
        /// Its path, as above.
        path: String,
        /// How many half-moves of each.
        plies: u32,
    },
}

/// What the games are for, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum JobFile {
    /// A file with `[tune]`.
    Tune(TuneFile),
    /// A file with `[test]`, `[sprt]`, `[candidate]`, `[base]` or `candidate_run`.
    Test(TestFile),
    /// A file with `[[candidate]]` or `[race]`.
    Race(RaceFile),
}

impl JobFile {
    /// `tune`, `test`, `match` or `race`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            JobFile::Tune(_) => "tune",
            JobFile::Test(TestFile { sprt: None, .. }) => "match",
            JobFile::Test(_) => "test",
            JobFile::Race(_) => "race",
        }
    }
}

/// A tune, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneFile {
    /// Budget.
    pub pairs: Pairs,
    /// What moves the parameters.
    pub optimizer: OptimizerKind,
    /// How `spsa` does it, used when it does.
    pub spsa: SpsaSettings,
    /// How `bqr` does it, used when it does.
    pub bqr: BqrSettings,
    /// The parameters that move.
    pub parameters: Vec<ParameterFile>,
    /// What several of them have to keep to together.
    pub constraints: Vec<LinearConstraint>,
    /// Values of parameters that stay.
    pub fixed: ParameterSet,
}

/// One `[[parameter]]`: what is left out comes from the engine's own definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterFile {
    /// Its name in the engine.
    pub name: String,
    /// Which values it takes, on which scale.
    pub kind: Option<ParameterKind>,
    /// Where the tune starts.
    pub start: Option<f64>,
    /// Smallest value to try.
    pub min: Option<f64>,
    /// Largest value to try.
    pub max: Option<f64>,
    /// Perturbation at the end of the tune.
    pub c_end: Option<f64>,
    /// What the engine's own perturbation is multiplied with, where `c_end` says none.
    pub c_end_factor: Option<f64>,
    /// Learning rate at the end of the tune, in units of `c_end²`.
    pub r_end: Option<f64>,
}

/// A test, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFile {
    /// Who shall be better.
    pub candidate: CandidateFile,
    /// Whom to beat. `None`: the point where the candidate's tune started, or the engine's defaults
    /// when the candidate comes from no tune.
    pub base: Option<ParameterSet>,
    /// Hypotheses; none in a match of fixed length.
    pub sprt: Option<SprtSpec>,
    /// The test ends without a verdict here; the pairs of a match.
    pub max_pairs: Pairs,
    /// The least chance to pass within the budget with which it goes on; 0 when the file names none.
    pub futility: f64,
}

/// Where the candidate of a test comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum CandidateFile {
    /// `[candidate]`: values that differ from the engine's defaults.
    Values(ParameterSet),
    /// `candidate_run`: what this tune suggests.
    Run(RunId),
}

impl RunFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything that is wrong in it: broken TOML, unknown, missing and mistyped fields.
    pub fn parse(text: &str) -> Result<Self, FindingList> {
        Self::read(Reader::new(text))
    }

    fn read(mut reader: Reader<'_>) -> Result<Self, FindingList> {
        let Some(document) = reader.document() else { return Err(reader.into_findings()) };
        let mut root = reader.root(&document);
        let name = root.required_text(&mut reader, "name", "name = \"lmr at 2000 nodes\"");
        let game = root.choice(&mut reader, "game", None, &game_names());
        let seed = root.whole(&mut reader, "seed", Some(1), 0..=u64::MAX);
        let weight = root.number(&mut reader, "weight", Some(1.0));
        let lease_pairs = root.whole(&mut reader, "lease_pairs", Some(8), 1..=1000);
        let lease_seconds = lease_seconds(&mut reader, &mut root);
        let (book, book_order) = book(&mut reader, &mut root);
        let (limit, players) = players::players(&mut reader, &mut root);
        let keep = keep(&mut reader, &mut root);
        let canaries = canaries(&mut reader, &mut root);
        let job = job(&mut reader, &mut root);
        root.finish(&mut reader);
        // `game` and `job` are missing only when a finding says so.
        let (Some(game), Some(job), true) = (game, job, reader.is_clean()) else {
            return Err(reader.into_findings());
        };
        Ok(Self {
            name,
            game,
            seed,
            weight,
            lease_pairs: u32::try_from(lease_pairs).unwrap_or(u32::MAX),
            lease_seconds,
            book,
            book_order,
            limit,
            players,
            keep,
            canaries,
            job,
            lines: reader.into_lines(),
        })
    }

    /// The tunes whose results the candidates shall be, as the file names them.
    #[must_use]
    pub fn candidate_runs(&self) -> Vec<RunId> {
        match &self.job {
            JobFile::Test(TestFile { candidate: CandidateFile::Run(run), .. }) => vec![*run],
            JobFile::Race(race) => race.runs(),
            _ => Vec::new(),
        }
    }

    /// The published engines that play, by name.
    #[must_use]
    pub fn engine_names(&self) -> Vec<&str> {
        self.players.names()
    }

    /// Whether a side has a limit of time for which the file names no machine.
    #[must_use]
    pub fn needs_speed(&self) -> bool {
        self.players.is_timed() && self.players.reference_speed.is_none()
    }

    /// The same file with another optimiser, if it is a tune; with the settings that it states for
    /// that one.
    #[must_use]
    pub fn with_optimizer(mut self, optimizer: OptimizerKind) -> Self {
        if let JobFile::Tune(tune) = &mut self.job {
            tune.optimizer = optimizer;
        }
        self
    }

    /// The same file with another answer to what is kept, in the parts that are given.
    #[must_use]
    pub fn keeping(mut self, moves: Option<KeepMoves>, evals: bool) -> Self {
        self.keep.moves = moves.unwrap_or(self.keep.moves);
        self.keep.evals |= evals;
        self
    }

    /// The complete, valid specification.
    ///
    /// # Errors
    /// Unknown parameters, values that the engine does not take, and all that
    /// [`RunSpec::check`] finds; with lines.
    pub fn resolve(&self, surroundings: &Surroundings<'_>) -> Result<RunSpec, FindingList> {
        resolve::resolve(self, surroundings)
    }
}

fn game_names() -> [(&'static str, GameKind); GameKind::ALL.len()] {
    GameKind::ALL.map(|game| (game.name(), game))
}

/// How long a lease shall take.
fn lease_seconds(reader: &mut Reader<'_>, root: &mut Section<'_>) -> u32 {
    let usual = u64::from(crate::spec::USUAL_LEASE_SECONDS);
    let seconds = root.whole(reader, "lease_seconds", Some(usual), 30..=120);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

/// `book`, `book_plies` and `book_order`.
fn book(reader: &mut Reader<'_>, root: &mut Section<'_>) -> (BookChoice, BookOrder) {
    let path = root.text(reader, "book").filter(|path| path != "builtin");
    reader.note(root, "book_plies", "a whole number from 1 to 1000", Some(String::new()));
    root.allow(&["book_plies"]);
    let plies = root.has("book_plies").then(|| root.whole(reader, "book_plies", None, 1..=1000));
    let order = root.choice(reader, "book_order", Some(BookOrder::Random), &BookOrder::ALL);
    let choice = match (path, plies) {
        (None, None) => BookChoice::Builtin,
        (None, Some(plies)) => {
            let (allowed, mend) = ("beside a book of games", "name one: book = \"games.pgn\"");
            reader.wrong(root, "book_plies", plies.to_string(), allowed, mend);
            BookChoice::Builtin
        }
        (Some(path), None) => BookChoice::File(path),
        (Some(path), Some(plies)) => {
            BookChoice::Games { path, plies: u32::try_from(plies).unwrap_or(u32::MAX) }
        }
    };
    (choice, order.unwrap_or_default())
}

fn keep(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Keep {
    let moves = root.text(reader, "keep_moves").map(|text| text.parse::<KeepMoves>());
    let moves = match moves {
        None => KeepMoves::default(),
        Some(Ok(moves)) => moves,
        Some(Err(error)) => {
            let found = format!("`{}`", error.found);
            let allowed = "all, none, or sample=P% with P from 0.0001 to 100";
            reader.wrong(root, "keep_moves", found, allowed, "write `keep_moves = \"sample=1%\"`");
            KeepMoves::default()
        }
    };
    let evals = root.choice(reader, "keep_evals", Some(false), &[("yes", true), ("no", false)]);
    Keep { moves, evals: evals.unwrap_or(false) }
}

fn canaries(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Canaries {
    match root.text(reader, "canaries").map(|text| text.parse::<Canaries>()) {
        None => Canaries::default(),
        Some(Ok(canaries)) => canaries,
        Some(Err(error)) => {
            let found = format!("`{}`", error.found);
            let allowed = "none, or P% with P from 0.0001 to 20";
            reader.wrong(root, "canaries", found, allowed, "write `canaries = \"1%\"`");
            Canaries::default()
        }
    }
}

fn job(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Option<JobFile> {
    const TEST_MARKS: [&str; 5] = ["test", "sprt", "candidate", "candidate_run", "base"];
    let is_test = TEST_MARKS.iter().any(|name| root.has(name));
    if root.has("tune") {
        Some(JobFile::Tune(tune(reader, root)))
    } else if root.has("race") || root.has_list("candidate") {
        Some(JobFile::Race(race::race(reader, root)))
    } else if is_test {
        Some(JobFile::Test(test(reader, root)))
    } else {
        let mend = "add [tune] with pairs = 2000, or [candidate] with the values to test";
        reader.missing(root, "tune", "a [tune] table, or a [candidate] table for a test", mend);
        // Not unknown: they belong to the table that is missing.
        root.allow(&["tune", "fixed", "parameter", "constraint"]);
        root.allow(&TEST_MARKS);
        None
    }
}

fn tune(reader: &mut Reader<'_>, root: &mut Section<'_>) -> TuneFile {
    let settings = tune_settings(reader, root);
    TuneFile {
        fixed: root.values(reader, "fixed").unwrap_or_default(),
        parameters: root
            .sections(reader, "parameter")
            .into_iter()
            .map(|section| parameter(reader, section))
            .collect(),
        constraints: root
            .sections(reader, "constraint")
            .into_iter()
            .map(|section| constraint(reader, section))
            .collect(),
        ..settings
    }
}

/// A tune without its parameters.
fn tune_settings(reader: &mut Reader<'_>, root: &mut Section<'_>) -> TuneFile {
    let mut section = root.section(reader, "tune").unwrap_or_else(|| Section::absent("tune"));
    let usual = SpsaSettings::default();
    let optimizers = OptimizerKind::ALL.map(|kind| (kind.name(), kind));
    // Settings of spsa in a file that names no optimiser are somebody's who knows no other.
    let is_of_spsa = ["alpha", "gamma", "a_ratio", "gains"].iter().any(|field| section.has(field));
    let usual_kind = if is_of_spsa { OptimizerKind::Spsa } else { OptimizerKind::Bqr };
    let settings = TuneFile {
        pairs: Pairs(section.whole(reader, "pairs", None, 1..=1_000_000_000)),
        optimizer: section
            .choice(reader, "optimizer", Some(usual_kind), &optimizers)
            .unwrap_or(usual_kind),
        spsa: SpsaSettings {
            alpha: section.number(reader, "alpha", Some(usual.alpha)),
            gamma: section.number(reader, "gamma", Some(usual.gamma)),
            a_ratio: section.number(reader, "a_ratio", Some(usual.a_ratio)),
            gains: section
                .choice(reader, "gains", Some(usual.gains), &GainRule::ALL)
                .unwrap_or_default(),
        },
        bqr: bqr(reader, &mut section),
        parameters: Vec::new(),
        constraints: Vec::new(),
        fixed: ParameterSet::default(),
    };
    section.finish(reader);
    settings
}

fn bqr(reader: &mut Reader<'_>, tune: &mut Section<'_>) -> BqrSettings {
    let usual = BqrSettings::default();
    let Some(mut section) = tune.section(reader, "bqr") else { return usual };
    let settings = BqrSettings {
        pair_deviation: section.optional_number(reader, "pair_deviation"),
        probe_loss: section.optional_number(reader, "probe_loss"),
        scale_limit: section.number(reader, "scale_limit", Some(usual.scale_limit)),
        forget: section.number(reader, "forget", Some(usual.forget)),
        reach: section.optional_number(reader, "reach"),
    };
    section.finish(reader);
    settings
}

fn parameter(reader: &mut Reader<'_>, mut section: Section<'_>) -> ParameterFile {
    let name = section.required_text(reader, "name", "name = \"lmr_base\"");
    let kinds = ParameterKind::ALL.map(|(word, kind)| (word, Some(kind)));
    let kind = section.choice(reader, "kind", Some(None), &kinds).flatten();
    let mut number = |field| section.optional_number(reader, field);
    let parameter = ParameterFile {
        name,
        kind,
        start: number("start"),
        min: number("min"),
        max: number("max"),
        c_end: number("c_end"),
        c_end_factor: None,
        r_end: number("r_end"),
    };
    section.finish(reader);
    parameter
}

/// A sum with the number above which, or below which, it must not be.
fn constraint(reader: &mut Reader<'_>, mut section: Section<'_>) -> LinearConstraint {
    let sum = section.values(reader, "sum").unwrap_or_default();
    let [at_most, at_least] =
        ["at_most", "at_least"].map(|field| section.optional_number(reader, field));
    let constraint = match (at_most, at_least) {
        (None, Some(at_least)) => {
            let negated = sum.0.into_iter().map(|(name, factor)| (name, -factor)).collect();
            // Adding 0 takes the sign off a negative zero, which JSON does not know.
            LinearConstraint { sum: negated, at_most: 0.0 - at_least }
        }
        (at_most, other) => {
            let (allowed, mend) = ("at_most or at_least", "write `at_most = 0`");
            if other.is_some() {
                let mend = "write a [[constraint]] for each of them";
                reader.wrong(&section, "at_least", "beside at_most", allowed, mend);
            } else if at_most.is_none() && !section.has("at_most") && !section.has("at_least") {
                reader.missing(&section, "at_most", allowed, mend);
            }
            LinearConstraint { sum, at_most: at_most.unwrap_or_default() + 0.0 }
        }
    };
    section.finish(reader);
    constraint
}

fn test(reader: &mut Reader<'_>, root: &mut Section<'_>) -> TestFile {
    let (sprt, max_pairs, futility) = match fixed_length(reader, root) {
        Some(pairs) => (None, pairs, 0.0),
        None => {
            let sprt = hypotheses(reader, root);
            let (max_pairs, futility) = test_limits(reader, root);
            (Some(sprt), max_pairs, futility)
        }
    };
    let candidate = candidate(reader, root);
    TestFile { candidate, base: root.values(reader, "base"), sprt, max_pairs, futility }
}

/// The pairs of a match: `pairs` below `[test]`, in place of a budget and of hypotheses.
fn fixed_length(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Option<Pairs> {
    let is_fixed = root.section(reader, "test").is_some_and(|section| section.has("pairs"));
    if !is_fixed {
        return None;
    }
    if root.has("sprt") {
        let allowed = "hypotheses, or a fixed number of pairs";
        let mend = "remove [sprt] to play a match of so many pairs, or write max_pairs for pairs";
        reader.wrong(root, "sprt", "beside test.pairs", allowed, mend);
        root.section(reader, "sprt");
    }
    let mut section = root.section(reader, "test")?;
    let pairs = Pairs(section.whole(reader, "pairs", None, 1..=1_000_000_000));
    section.finish(reader);
    Some(pairs)
}

fn hypotheses(reader: &mut Reader<'_>, root: &mut Section<'_>) -> SprtSpec {
    const MODELS: [(&str, EloModel); 2] =
        [("normalized", EloModel::Normalized), ("logistic", EloModel::Logistic)];
    let mut sprt = root.section(reader, "sprt").unwrap_or_else(|| Section::absent("sprt"));
    let hypotheses = SprtSpec {
        elo0: sprt.number(reader, "elo0", Some(0.0)),
        elo1: sprt.number(reader, "elo1", Some(5.0)),
        alpha: sprt.number(reader, "alpha", Some(0.05)),
        beta: sprt.number(reader, "beta", Some(0.05)),
        model: sprt
            .choice(reader, "model", Some(EloModel::Normalized), &MODELS)
            .unwrap_or(EloModel::Normalized),
    };
    sprt.finish(reader);
    hypotheses
}

/// Budget and futility of a test.
fn test_limits(reader: &mut Reader<'_>, root: &mut Section<'_>) -> (Pairs, f64) {
    let mut section = root.section(reader, "test").unwrap_or_else(|| Section::absent("test"));
    let max_pairs = Pairs(section.whole(reader, "max_pairs", Some(20_000), 1..=1_000_000_000));
    let futility = section.number(reader, "futility", Some(0.0));
    section.finish(reader);
    (max_pairs, futility)
}

fn candidate(reader: &mut Reader<'_>, root: &mut Section<'_>) -> CandidateFile {
    let values = root.values(reader, "candidate");
    match (values, run_field(reader, root, "candidate_run")) {
        (Some(values), None) => CandidateFile::Values(values),
        (None, Some(run)) => CandidateFile::Run(run),
        (Some(_), Some(run)) => {
            let allowed = "[candidate] or candidate_run, not both";
            reader.wrong(
                root,
                "candidate_run",
                "beside [candidate]",
                allowed,
                "remove one of them",
            );
            CandidateFile::Run(run)
        }
        (None, None) => {
            let mend = "add [candidate] with the values to test, or candidate_run = ID of a tune";
            reader.missing(root, "candidate", "a [candidate] table or candidate_run", mend);
            CandidateFile::Values(ParameterSet::default())
        }
    }
}

/// The id of a run, if there is one.
fn run_field(reader: &mut Reader<'_>, section: &mut Section<'_>, field: &str) -> Option<RunId> {
    section.allow(&[field]);
    reader.note(section, field, "the number of a run", Some(String::new()));
    section.has(field).then(|| {
        let id = section.whole(reader, field, None, 1..=i64::MAX.unsigned_abs());
        RunId(i64::try_from(id).unwrap_or(i64::MAX))
    })
}
