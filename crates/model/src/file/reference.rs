//! Every field of every file that an author writes: what may stand there, what it is when nothing
//! stands there, and what it means.
//!
//! What is allowed is noted by the readers themselves while they read a file with every table in it;
//! only the meanings are written here. A test holds both against each other.

use super::reader::{Note, Reader};
use super::{CampaignFile, EngineFile, RunFile};
use crate::FindingList;
use std::cell::RefCell;

/// The fields of one kind of file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReference {
    /// What the file is.
    pub title: &'static str,
    /// The command that reads it.
    pub command: &'static str,
    /// Its fields, in the order in which they are read.
    pub fields: Vec<FieldReference>,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldReference {
    /// The heading of its table as it is written, `[limit]` or `[[parameter]]`; empty above the first.
    pub table: String,
    /// Its name.
    pub name: String,
    /// What may stand there.
    pub allowed: String,
    /// What it is when it is left out: `None` where it must be there, empty where there is no value
    /// for that.
    pub default: Option<String>,
    /// What it means.
    pub meaning: &'static str,
}

/// Every kind of file.
#[must_use]
pub fn references() -> Vec<FileReference> {
    let reads_run = |reader: Reader<'_>| RunFile::read(reader).map(drop);
    let reads_campaign = |reader: Reader<'_>| CampaignFile::read(reader).map(drop);
    let reads_engine = |reader: Reader<'_>| EngineFile::read(reader).map(drop);
    vec![
        reference("A tune", "elomill tune FILE", &[TUNE], reads_run, &[RUN]),
        reference(
            "A test or a match",
            "elomill test FILE",
            &[TEST, RUN_OF, MATCH],
            reads_run,
            &[RUN],
        ),
        reference("A race", "elomill test FILE", &[RACE], reads_run, &[IN_RACE, RUN]),
        reference(
            "A campaign",
            "elomill campaign start FILE",
            &[CAMPAIGN],
            reads_campaign,
            &[IN_CAMPAIGN, RUN],
        ),
        reference(
            "An engine",
            "elomill engine add FILE",
            &[GIT, FOLDER, FILE],
            reads_engine,
            &[IN_ENGINE],
        ),
    ]
}

/// What readers ask for in these texts, with what the lists say of it, the first list first.
fn reference(
    title: &'static str,
    command: &'static str,
    texts: &[&str],
    read: impl Fn(Reader<'_>) -> Result<(), FindingList>,
    meanings: &[&[(&str, &'static str)]],
) -> FileReference {
    let notes = RefCell::default();
    for text in texts {
        // What is wrong with a text is for the test.
        let _ = read(Reader::noting(text, &notes));
    }
    let mut fields: Vec<FieldReference> = Vec::new();
    for Note { place, allowed, default } in notes.take() {
        let (table, name) = heading_and_name(&place);
        if fields.iter().any(|field| field.table == table && field.name == name) {
            continue;
        }
        // What a side may spend is named as what both may.
        let place = place.replace("[0]", "");
        let place = ["limit.candidate.", "limit.base."]
            .into_iter()
            .fold(place, |place, side| place.replace(side, "limit."));
        let meaning = meanings.iter().flat_map(|list| list.iter()).find(|(of, _)| *of == place);
        let meaning = meaning.map_or("", |(_, meaning)| *meaning);
        fields.push(FieldReference { table, name, allowed, default, meaning });
    }
    FileReference { title, command, fields }
}

fn heading_and_name(place: &str) -> (String, String) {
    match place.rsplit_once('.') {
        None => (String::new(), place.to_owned()),
        Some((table, name)) => match table.strip_suffix("[0]") {
            Some(list) => (format!("[[{list}]]"), name.to_owned()),
            None => (format!("[{table}]"), name.to_owned()),
        },
    }
}

const TUNE: &str = r#"name = "n"
game = "chess"
[limit]
nodes = 1
reference_speed = 1
[limit.candidate]
movetime = 1
[limit.base]
movetime = 1
[tune]
pairs = 1
[tune.bqr]
[[parameter]]
name = "p"
[[constraint]]
sum = { p = 1 }
at_most = 0
[adjudication]
tablebases = 5
[adjudication.draw]
movecount = 1
[adjudication.resign]
movecount = 1
score = 1
"#;

const TEST: &str = r#"name = "n"
game = "chess"
[limit]
nodes = 1
[candidate]
p = 1
[adjudication]
tablebases = 5
[adjudication.draw]
movecount = 1
[adjudication.resign]
movecount = 1
score = 1
"#;

const RUN_OF: &str = r#"name = "n"
game = "chess"
candidate_run = 1
[limit]
nodes = 1
[adjudication]
tablebases = 5
[adjudication.draw]
movecount = 1
[adjudication.resign]
movecount = 1
score = 1
"#;

const MATCH: &str = r#"name = "n"
game = "chess"
[limit]
nodes = 1
[candidate]
p = 1
[test]
pairs = 1
[adjudication]
tablebases = 5
[adjudication.draw]
movecount = 1
[adjudication.resign]
movecount = 1
score = 1
"#;

const RACE: &str = r#"name = "n"
game = "chess"
[limit]
nodes = 1
[[candidate]]
name = "c"
values = { p = 1 }
[adjudication]
tablebases = 5
[adjudication.draw]
movecount = 1
[adjudication.resign]
movecount = 1
score = 1
"#;

const CAMPAIGN: &str = r#"name = "n"
game = "chess"
[limit]
nodes = 1
[tune]
pairs = 1
[tune.bqr]
[[group]]
name = "g"
parameters = ["p"]
[adjudication]
tablebases = 5
[adjudication.draw]
movecount = 1
[adjudication.resign]
movecount = 1
score = 1
"#;

const GIT: &str = r#"name = "n"
game = "chess"
[build]
git = "u"
commit = "0000000000000000000000000000000000000000"
command = ["make"]
result = "p"
[bench]
signature = 1
"#;

const FOLDER: &str = r#"name = "n"
game = "chess"
[build]
folder = "f"
result = "p"
"#;

const FILE: &str = r#"name = "n"
game = "chess"
[build]
file = "p"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"#;

/// Of every file that becomes a run.
const RUN: &[(&str, &str)] = &[
    ("name", "what people call it"),
    ("game", "what is played"),
    ("seed", "the source of all randomness: openings, probes, sampling"),
    ("weight", "its share of the cluster beside other runs, above 0"),
    ("lease_pairs", "pairs that a worker gets at a time; all of them play one probe of a tune"),
    (
        "lease_seconds",
        "how long a lease of a test, match or race shall take: a worker that would need longer for \
         `lease_pairs` gets fewer; a lease of a tune is always whole",
    ),
    (
        "book",
        "`builtin`, or a file of openings, a position a line or by its ending .pgn, .moves, .ggf; a relative path counts from this file's folder",
    ),
    ("book_plies", "half-moves of each game of the book that are its opening; all, if left out"),
    ("book_order", "how the openings are taken: drawn from the seed, or as they stand"),
    ("limit", "the limits of each game"),
    (
        "engine",
        "who plays both sides: `builtin`, or the name of a published engine; `builtin`, if left out",
    ),
    ("candidate_engine", "who plays the candidate, in place of `engine`"),
    ("base_engine", "who plays the base, in place of `engine`"),
    (
        "limit.nodes",
        "nodes of a search, for each move; must be there unless `depth`, `movetime` or `clock` is",
    ),
    ("limit.depth", "half-moves that a search looks ahead"),
    ("limit.movetime", "seconds for each move"),
    ("limit.clock", "time for the game, as `10+0.1` or `40/60`"),
    ("limit.margin", "seconds that a move may come late; 0.05, if left out"),
    (
        "limit.reference_speed",
        "nodes a second of the machine for which times are meant; slower ones get more time",
    ),
    ("limit.candidate", "what the candidate may spend, in place of what both may"),
    ("limit.base", "what the base may spend, in place of what both may"),
    ("limit.max_plies", "half-moves after which a game is a draw"),
    ("limit.hash_kib", "the transposition table of each engine, in KiB"),
    ("adjudication", "what ends games before the rules do; nothing, if left out"),
    (
        "adjudication.tablebases",
        "men on the board up to which the workers' tables decide (chess); only workers that have all of them play then",
    ),
    ("adjudication.draw", "ends level games"),
    ("adjudication.draw.movenumber", "moves of each side before which no game is drawn"),
    ("adjudication.draw.movecount", "moves of each side in a row that must be level"),
    ("adjudication.draw.score", "centipawns that are level, either way"),
    ("adjudication.resign", "ends lost games"),
    ("adjudication.resign.movecount", "moves of one side in a row that must be lost"),
    ("adjudication.resign.score", "centipawns below zero that are lost"),
    ("adjudication.resign.twosided", "whether the winner's scores must agree"),
    (
        "keep_moves",
        "whose moves the ledger keeps: `all`, `none`, or a share as `sample=1%`; all, if left out",
    ),
    (
        "canaries",
        "how often the base plays itself besides: `none`, or a share as `1%`; by who plays, if left out",
    ),
    ("keep_evals", "whether score, depth, nodes and time of each kept move are kept, too"),
    ("tune", "budget, optimiser and its settings"),
    ("tune.pairs", "the budget"),
    ("tune.optimizer", "what moves the parameters; `spsa`, if left out beside a setting of spsa"),
    ("tune.alpha", "spsa: how fast the gain falls; above 0, at most 1"),
    ("tune.gamma", "spsa: how fast the perturbation falls; above 0, below alpha"),
    ("tune.a_ratio", "spsa: the stability constant A as a share of the tune, 0 to 1"),
    ("tune.gains", "spsa: whose rule makes the gains of `c_end` and `r_end`"),
    ("tune.bqr", "settings of bqr"),
    (
        "tune.bqr.pair_deviation",
        "standard deviation of the result of a pair in Elo, 1 to 1000; measured, if left out",
    ),
    (
        "tune.bqr.probe_loss",
        "the Elo that a probe may lose, 0.1 to 100; by the number of parameters, if left out",
    ),
    (
        "tune.bqr.scale_limit",
        "how far the probes may leave `c_end`, as a factor either way, 1 to 10",
    ),
    ("tune.bqr.forget", "the j-th of k reports counts as (j/k) to this power, 0 to 1"),
    (
        "tune.bqr.reach",
        "how far from the start the optimum is expected, in `c_end`, 0.1 to 100; by the number of parameters, if left out",
    ),
    ("fixed", "values of parameters that stay, where they differ from the engine's"),
    ("parameter", "a table for each parameter that moves"),
    ("parameter.name", "its name in the engine"),
    (
        "parameter.kind",
        "which values it takes and on which scale; what the engine says, if left out",
    ),
    ("parameter.start", "where the tune starts; the engine's value, if left out"),
    ("parameter.min", "the smallest value to try; the engine's, if left out"),
    ("parameter.max", "the largest value to try; the engine's, if left out"),
    ("parameter.c_end", "the perturbation at the end of the tune; the engine's, if left out"),
    ("parameter.r_end", "spsa: the learning rate at the end, in units of `c_end` squared"),
    ("constraint", "a table for each condition on several parameters together"),
    ("constraint.sum", "a factor for each parameter of the sum"),
    ("constraint.at_most", "the sum must not be above this; this or `at_least`"),
    ("constraint.at_least", "the sum must not be below this; this or `at_most`"),
    (
        "candidate",
        "who shall be better: values that differ from the engine's; this or `candidate_run`",
    ),
    ("candidate_run", "who shall be better: what this tune suggests"),
    (
        "base",
        "whom to beat: values that differ from the engine's; where the candidate's tune started, or the engine's values, if left out",
    ),
    ("sprt", "the two hypotheses"),
    ("sprt.elo0", "the candidate is rejected if it is this strong"),
    ("sprt.elo1", "the candidate is accepted if it is this strong"),
    ("sprt.alpha", "the chance to accept one that is at `elo0`"),
    ("sprt.beta", "the chance to reject one that is at `elo1`"),
    ("sprt.model", "whose Elo these are: of the pair's normalised score, or logistic"),
    ("test", "the budget"),
    ("test.max_pairs", "the test ends here without a verdict"),
    (
        "test.futility",
        "it ends, rejected, once its chance to pass within the budget is below this; 0 never",
    ),
    ("test.pairs", "in place of hypotheses: a match of so many pairs, all of them played"),
];

const IN_RACE: &[(&str, &str)] = &[
    ("candidate", "a table for each candidate"),
    ("candidate.name", "what people call it"),
    ("candidate.values", "values that differ from the engine's; this or `run`"),
    ("candidate.run", "what this tune suggests, or this test or race has accepted"),
    (
        "base",
        "whom to beat: values that differ from the engine's; where the candidates' tunes started, or the engine's values, if left out",
    ),
    ("race", "the budget, and when it is over"),
    ("race.max_pairs", "pairs of all candidates together; 20000 for each, if left out"),
    (
        "race.stop",
        "whether it ends with the first that is accepted, or goes on until all are decided",
    ),
    (
        "sprt.alpha",
        "the chance to accept any candidate that is no better than `elo0`, all together",
    ),
];

const IN_CAMPAIGN: &[(&str, &str)] = &[
    ("seed", "the source of all randomness; each step has a seed of its own made from it"),
    ("rounds", "how often all groups are gone through"),
    ("tune", "budget and optimiser of each tune"),
    ("test", "the budget of each test"),
    (
        "champion",
        "values that the first candidate has to beat, where they differ from the engine's",
    ),
    ("baseline", "what the gain in all is measured against; the first champion, if left out"),
    ("regression", "the match that measures it"),
    ("regression.pairs", "its pairs, all of them played"),
    ("group", "a table for each group of parameters that are tuned together"),
    ("group.name", "what people call it"),
    ("group.parameters", "names in the engine"),
    ("group.c_end_factor", "what the engine's `c_end` is multiplied with, 0.01 to 100"),
];

const IN_ENGINE: &[(&str, &str)] = &[
    ("name", "by which it is stored and called: letters, digits, `-`, `_` and `.`, at most 64"),
    ("game", "what it plays"),
    ("protocol", "what it speaks; the usual one of its game, if left out"),
    ("arguments", "words behind its command"),
    ("threads", "threads that it thinks with"),
    ("memory", "MiB that it needs beside its hash table"),
    ("processes", "whether it may start others, as a script around an engine does"),
    ("options", "options by name, set before the first game"),
    ("build", "where its program comes from: one of `git`, `folder`, `file`"),
    ("build.git", "a repository, as `git clone` takes it; with `commit`, `command` and `result`"),
    ("build.commit", "with `git`: the whole hash of the commit"),
    (
        "build.command",
        "the command that builds it, with its arguments; may be left out with `folder`",
    ),
    ("build.result", "with `git` and `folder`: the program that comes out, from the source's root"),
    (
        "build.folder",
        "a folder of this machine, built each time; a relative path counts from this file's",
    ),
    ("build.file", "a program that is ready; a relative path counts from this file's folder"),
    ("build.sha256", "with `file`: the SHA-256 that the program must have"),
    ("bench", "a search of fixed positions by which a right build is known"),
    ("bench.arguments", "arguments with which the program does it; `bench`, if left out"),
    ("bench.signature", "the nodes that it prints"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_explained_and_nothing_else() {
        for file in references() {
            assert!(file.fields.len() > 5, "{}", file.title);
            for FieldReference { table, name, meaning, .. } in &file.fields {
                assert!(!meaning.is_empty(), "{}: explain {table} {name}", file.title);
            }
        }
        let places: Vec<String> = references()
            .into_iter()
            .flat_map(|file| file.fields)
            .map(|field| {
                let table = field.table.trim_matches(['[', ']']).to_owned();
                if table.is_empty() { field.name } else { format!("{table}.{}", field.name) }
            })
            .collect();
        for (place, _) in [RUN, IN_RACE, IN_CAMPAIGN, IN_ENGINE].concat() {
            assert!(places.iter().any(|p| p == place), "no field {place}");
        }
    }

    #[test]
    fn the_texts_have_every_table_and_are_right() {
        for text in [TUNE, TEST, RUN_OF, MATCH, RACE] {
            assert!(RunFile::parse(text).is_ok(), "{text}");
        }
        assert!(CampaignFile::parse(CAMPAIGN).is_ok());
        for text in [GIT, FOLDER, FILE] {
            assert!(EngineFile::parse(text).is_ok(), "{text}");
        }
    }
}
