//! Good files come through whole; each kind of mistake is found, with its line.

use super::*;
use crate::spec::BQR_MOST_PARAMETERS;
use crate::spec::{Job, OptimizerSpec, RaceStop};
use crate::{Finding, ParameterDef};
use crate::{Nodes, Ply};

const TUNE: &str = r#"name = "small"
game = "tictactoe"
seed = 18446744073709551615
[limit]
nodes = 2_000
[tune]
pairs = 64
a_ratio = 0
[fixed]
razor_depth = 1
[[parameter]]
name = "lmr_base"
start = 0.5
[[parameter]]
name = "rfp_depth"
kind = "int"
min = 1
max = 8
c_end = 1.5
r_end = 0.01
"#;

const TEST: &str = r#"name = "is it better"
game = "xiangqi"
book = "my.epd"
[limit]
nodes = 500
max_plies = 200
hash_kib = 256
[candidate]
lmr_base = 1.25
[base]
rfp_depth = 2
[sprt]
elo1 = 10
model = "logistic"
"#;

fn known() -> Vec<ParameterDef> {
    let def = |name: &str, kind, start, min, max, c_end| ParameterDef {
        name: name.to_owned(),
        kind,
        start,
        min,
        max,
        c_end,
        r_end: 0.002,
    };
    vec![
        def("lmr_base", ParameterKind::Float, 0.3, -1.0, 3.0, 0.12),
        def("razor_depth", ParameterKind::Int, 2.0, 0.0, 6.0, 0.7),
        def("rfp_depth", ParameterKind::Int, 3.0, 0.0, 12.0, 0.8),
    ]
}

fn resolve(text: &str, tuned: impl IntoIterator<Item = Tuned>) -> Result<RunSpec, FindingList> {
    let known = known();
    let tuned = tuned.into_iter().collect();
    let surroundings = Surroundings {
        known: &known,
        book_sha256: "0a".repeat(32),
        tuned,
        engines: Vec::new(),
        speed: None,
    };
    RunFile::parse(text)?.resolve(&surroundings)
}

fn findings(text: &str) -> Vec<Finding> {
    resolve(text, None).expect_err("the file should be refused").0
}

#[test]
fn a_tune_is_read_and_filled_from_the_engine() {
    let spec = resolve(TUNE, None).unwrap();
    assert_eq!(
        (spec.name.as_str(), spec.game, spec.seed),
        ("small", GameKind::TicTacToe, u64::MAX)
    );
    assert_eq!((spec.weight, spec.lease_pairs, spec.lease_seconds), (1.0, 8, 60));
    let limit = GameLimit::new(Nodes(2000), Ply(300), 1024);
    assert_eq!(spec.limit, limit);
    let Job::Tune(tune) = spec.job else { panic!("not a tune") };
    let spsa = SpsaSettings { a_ratio: 0.0, ..SpsaSettings::default() };
    assert_eq!((tune.pairs, tune.optimizer), (Pairs(64), OptimizerSpec::Spsa(spsa)));
    assert_eq!(tune.fixed, ParameterSet::from_iter([("razor_depth".to_owned(), 1.0)]));
    let known = known();
    assert_eq!(tune.parameters[0], ParameterDef { start: 0.5, ..known[0].clone() });
    let own = ParameterDef { min: 1.0, max: 8.0, c_end: 1.5, r_end: 0.01, ..known[2].clone() };
    assert_eq!(tune.parameters[1], own);
}

#[test]
fn the_optimiser_is_a_value_of_the_file() {
    let of = |text: &str| match resolve(text, None).unwrap().job {
        Job::Tune(tune) => tune.optimizer,
        _ => panic!("not a tune"),
    };
    assert!(TUNE.contains("a_ratio = 0"), "a setting of spsa, which says what is meant");
    assert_eq!(of(TUNE).kind(), OptimizerKind::Spsa);
    let plain = OptimizerSpec::Bqr(BqrSettings::default());
    assert_eq!(of(&TUNE.replace("a_ratio = 0", "")), plain);
    let text = TUNE.replace("pairs = 64", "pairs = 64\noptimizer = \"bqr\"");
    assert_eq!(of(&text), plain);
    let text = text.replace("[fixed]", "[tune.bqr]\nforget = 0.5\nprobe_loss = 4.5\n[fixed]");
    let bqr = BqrSettings { forget: 0.5, probe_loss: Some(4.5), ..BqrSettings::default() };
    assert_eq!(of(&text), OptimizerSpec::Bqr(bqr));
    let text = TUNE.replace("pairs = 64", "pairs = 64\ngains = \"fishtest\"");
    let OptimizerSpec::Spsa(spsa) = of(&text) else { panic!("not spsa") };
    assert_eq!(spsa.gains, GainRule::Fishtest);
    // The command line may choose the other one for the same file.
    let known = known();
    let around = Surroundings {
        known: &known,
        book_sha256: "0a".repeat(32),
        tuned: Vec::new(),
        engines: Vec::new(),
        speed: None,
    };
    let file = RunFile::parse(&text).unwrap().with_optimizer(OptimizerKind::Bqr);
    let Job::Tune(tune) = file.resolve(&around).unwrap().job else { panic!("not a tune") };
    assert_eq!(tune.optimizer, OptimizerSpec::Bqr(BqrSettings::default()));
}

#[test]
fn many_parameters_are_handed_over_and_it_is_said() {
    let Job::Tune(mut tune) = resolve(TUNE, None).unwrap().job else { panic!("not a tune") };
    tune.optimizer = OptimizerSpec::Bqr(BqrSettings::default());
    let one = tune.parameters[0].clone();
    tune.parameters = vec![one.clone(); BQR_MOST_PARAMETERS];
    assert_eq!((tune.acting(), tune.handed_over()), (tune.optimizer, None));
    tune.parameters.push(one);
    assert_eq!(tune.acting(), OptimizerSpec::default());
    let said = tune.handed_over().unwrap();
    assert_eq!(said, "101 parameters are moved by spsa: bqr takes at most 100");
}

#[test]
fn kinds_and_constraints_are_read() {
    let text = TUNE
        .replace("kind = \"int\"\nmin = 1\nmax = 8\nc_end = 1.5", "kind = \"log-int\"\nmin = 1\nmax = 8")
        .replace("[[parameter]]\nname = \"rfp_depth\"", "[[parameter]]\nname = \"razor_depth\"\nkind = \"categorical\"\n[[parameter]]\nname = \"rfp_depth\"")
        .replace("razor_depth = 1\n", "");
    let Job::Tune(tune) = resolve(&text, None).unwrap().job else { panic!("not a tune") };
    let kinds: Vec<_> = tune.parameters.iter().map(|p| (p.kind.name(), p.c_end)).collect();
    // 0.8 of the engine's about a start of 3 is a relative step of 0.27.
    assert_eq!(kinds, [("float", 0.12), ("categorical", 5.0), ("log-int", 0.8 / 3.0)]);
    let text = format!(
        "{TUNE}[[constraint]]\nsum = {{ lmr_base = 2, rfp_depth = -1 }}\nat_most = 0\n\
         [[constraint]]\nsum = {{ lmr_base = 1, rfp_depth = 1 }}\nat_least = 0.5\n"
    );
    let Job::Tune(tune) = resolve(&text, None).unwrap().job else { panic!("not a tune") };
    let sums: Vec<_> = tune
        .constraints
        .iter()
        .map(|c| (c.sum.get("lmr_base"), c.sum.get("rfp_depth"), c.at_most))
        .collect();
    assert_eq!(sums, [(Some(2.0), Some(-1.0), 0.0), (Some(-1.0), Some(-1.0), -0.5)]);
    for (from, to, place, part) in [
        ("at_most = 0\n", "", "constraint[0].at_most", "at_most or at_least"),
        (
            "at_most = 0\n",
            "at_most = 0\nat_least = 0\n",
            "constraint[0].at_least",
            "for each of them",
        ),
        ("at_most = 0\n", "at_mist = 0\n", "constraint[0].at_mist", "did you mean `at_most`?"),
        ("lmr_base = 2", "lmr_bass = 2", "constraint[0].sum.lmr_bass", "[[parameter]] tables"),
        ("rfp_depth = -1", "rfp_depth = \"1\"", "constraint[0].sum.rfp_depth", "a finite number"),
        ("at_least = 0.5", "at_least = 50", "constraint[1].at_most", "within the ranges"),
        ("at_least = 0.5", "at_least = 5", "constraint[1].at_most", "at the start the sum is"),
        ("kind = \"int\"", "kind = \"log-int\"", "constraint[0].sum.rfp_depth", "int, float"),
        ("kind = \"int\"", "kind = \"logint\"", "parameter[1].kind", "int, float, log-int"),
        (
            "kind = \"int\"",
            "kind = \"log-float\"",
            "parameter[1].kind",
            "int, log-int, categorical",
        ),
        (
            "kind = \"int\"\nmin = 1",
            "kind = \"log-int\"\nmin = 0",
            "parameter[1].min",
            "logarithmic",
        ),
        (
            "kind = \"int\"",
            "kind = \"categorical\"\nstart = 2.5",
            "parameter[1].start",
            "a whole number",
        ),
        ("c_end = 1.5", "c_end = 0.01\nkind = \"categorical\"", "file", "TOML"),
    ] {
        assert!(text.contains(from), "{from:?} is not in the file");
        let found = findings(&text.replacen(from, to, 1));
        let hit = found.iter().find(|f| f.place == place && f.to_string().contains(part));
        let hit = hit.unwrap_or_else(|| panic!("{from:?} to {to:?}: no `{place}` in {found:#?}"));
        assert!(hit.line.is_some(), "{hit}");
    }
}

#[test]
fn a_test_is_read_with_its_defaults() {
    let file = RunFile::parse(TEST).unwrap();
    assert_eq!(file.book, BookChoice::File("my.epd".to_owned()));
    assert_eq!(file.job.kind(), "test");
    let spec = resolve(TEST, None).unwrap();
    let Job::Test(test) = spec.job else { panic!("not a test") };
    assert_eq!(test.candidate.get("lmr_base"), Some(1.25));
    assert_eq!(test.base.get("rfp_depth"), Some(2.0));
    let sprt = test.sprt.expect("hypotheses");
    assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha), (0.0, 10.0, 0.05));
    assert_eq!(sprt.model, EloModel::Logistic);
    assert_eq!((test.max_pairs, test.candidate_run), (Pairs(20_000), None));
    assert_eq!(test.futility, 0.0);
}

#[test]
fn what_ends_games_early_is_read_and_nothing_does_unless_it_is_said() {
    use crate::{Adjudication, DrawRule, ResignRule};
    assert!(resolve(TEST, None).unwrap().limit.adjudication.is_off());
    let more = "[adjudication.draw]\nmovenumber = 40\nmovecount = 8\nscore = 10\n\
                [adjudication.resign]\nmovecount = 3\nscore = 400\ntwosided = \"yes\"\n";
    let text = format!("{TEST}{more}");
    let spec = resolve(&text, None).unwrap();
    let rules = Adjudication {
        draw: Some(DrawRule { move_number: 40, move_count: 8, score: 10 }),
        resign: Some(ResignRule { move_count: 3, score: 400, two_sided: true }),
        tablebases: None,
    };
    assert_eq!(spec.limit.adjudication, rules);
    assert!(spec.needs_evals() && !spec.keep.evals, "scores are told, and not kept");
    let json = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<RunSpec>(&json).unwrap(), spec);
    for (from, to, place) in [
        ("movecount = 8", "", "adjudication.draw.movecount"),
        ("score = 400", "score = 0", "adjudication.resign.score"),
        ("twosided = \"yes\"", "twosided = 1", "adjudication.resign.twosided"),
        ("movenumber", "move_number", "adjudication.draw.move_number"),
        (more, "[adjudication]\n", "adjudication.resign"),
        (more, "[adjudication]\ntablebases = 5\n", "adjudication.tablebases"),
    ] {
        let found = findings(&text.replacen(from, to, 1));
        let hit = found.iter().find(|finding| finding.place == place);
        assert!(hit.is_some_and(|finding| finding.line.is_some()), "{place}: {found:#?}");
    }
}

#[test]
fn a_book_of_games_may_be_cut_and_taken_in_order() {
    let cut = "book = \"my.pgn\"\nbook_plies = 8\nbook_order = \"sequential\"";
    let text = TEST.replace("book = \"my.epd\"", cut);
    let file = RunFile::parse(&text).unwrap();
    assert_eq!(file.book, BookChoice::Games { path: "my.pgn".to_owned(), plies: 8 });
    assert_eq!(resolve(&text, None).unwrap().book_order, BookOrder::Sequential);
    assert_eq!(resolve(TEST, None).unwrap().book_order, BookOrder::Random);
    for (from, to, place) in [
        ("book_plies = 8", "book_plies = 0", "book_plies"),
        ("book = \"my.pgn\"\n", "", "book_plies"),
        ("sequential", "backwards", "book_order"),
    ] {
        let found = findings(&text.replacen(from, to, 1));
        assert!(found.iter().any(|finding| finding.place == place), "{place}: {found:#?}");
    }
}

#[test]
fn a_candidate_from_a_tune_meets_the_start_of_that_tune() {
    let text = "name = \"t\"\ngame = \"xiangqi\"\ncandidate_run = 7\n[limit]\nnodes = 5\n";
    let set = |value| ParameterSet::from_iter([("lmr_base".to_owned(), value)]);
    let tuned = Tuned { run: RunId(7), start: set(0.5), suggested: set(0.9) };
    assert_eq!(RunFile::parse(text).unwrap().candidate_runs(), [RunId(7)]);
    let Job::Test(test) = resolve(text, Some(tuned.clone())).unwrap().job else { panic!() };
    assert_eq!((test.candidate, test.base), (set(0.9), set(0.5)));
    assert_eq!(test.candidate_run, Some(RunId(7)));
    let other = Tuned { run: RunId(8), ..tuned };
    let error = resolve(text, Some(other)).unwrap_err();
    assert!(error.0.iter().any(|f| f.place == "candidate_run" && f.line == Some(3)), "{error}");
}

const RACE: &str = r#"name = "takes"
game = "xiangqi"
[limit]
nodes = 500
[race]
stop = "all"
[[candidate]]
name = "one"
values = { lmr_base = 1.25 }
[[candidate]]
name = "two"
run = 7
[sprt]
elo1 = 10
"#;

#[test]
fn a_race_is_read_with_candidates_of_both_kinds() {
    let set = |value| ParameterSet::from_iter([("lmr_base".to_owned(), value)]);
    let tuned = Tuned { run: RunId(7), start: set(0.5), suggested: set(0.9) };
    let file = RunFile::parse(RACE).unwrap();
    assert_eq!((file.job.kind(), file.candidate_runs()), ("race", vec![RunId(7)]));
    let spec = resolve(RACE, Some(tuned.clone())).unwrap();
    assert_eq!(spec.job.pairs_asked(), Pairs(40_000), "as many tests of their own");
    let Job::Race(race) = spec.job else { panic!("not a race") };
    assert_eq!((race.stop, race.sprt.elo1, race.base), (RaceStop::All, 10.0, set(0.5)));
    let candidates: Vec<_> =
        race.candidates.into_iter().map(|c| (c.name, c.values, c.run)).collect();
    let two = ("two".to_owned(), set(0.9), Some(RunId(7)));
    assert_eq!(candidates, [("one".to_owned(), set(1.25), None), two]);
    // Tunes that started apart leave it open whom to beat.
    let text = RACE.replace("values = { lmr_base = 1.25 }", "run = 8");
    let other = Tuned { run: RunId(8), start: set(0.6), suggested: set(0.8) };
    let FindingList(found) = resolve(&text, [tuned.clone(), other.clone()]).unwrap_err();
    assert_eq!((found.len(), found[0].place.as_str()), (1, "base"), "{found:#?}");
    let with_base = format!("{text}[base]\nlmr_base = 0.3\n");
    assert!(resolve(&with_base, [tuned, other]).is_ok());
}

#[test]
fn a_match_has_pairs_and_no_hypotheses() {
    let text = "name = \"t\"\ngame = \"xiangqi\"\n[limit]\nnodes = 5\n[test]\npairs = 300\n\
                [candidate]\nlmr_base = 1\n";
    let spec = resolve(text, None).unwrap();
    assert_eq!((spec.job.kind(), spec.job.pairs_asked()), ("match", Pairs(300)));
    let Job::Test(test) = spec.job else { panic!("not a test") };
    assert_eq!((test.sprt, test.futility), (None, 0.0));
    for (more, place) in
        [("[sprt]\nelo1 = 5\n", "sprt"), ("[test]\nmax_pairs = 9\n", "test.max_pairs")]
    {
        let text = match place {
            "sprt" => format!("{text}{more}"),
            _ => text.replace("[test]\n", more),
        };
        let found = findings(&text);
        assert_eq!((found.len(), found[0].place.as_str()), (1, place), "{found:#?}");
    }
}

#[test]
fn each_mistake_is_found_on_its_line() {
    // Replaced text, replacement, place, line, and a part of the message.
    let cases = [
        (TUNE, "name = \"small\"\n", "", "name", None, "name = \"lmr at 2000 nodes\""),
        (TUNE, "\"small\"", "\"\"", "name", Some(1), "1 to 120"),
        (TUNE, "\"small\"", "12", "name", Some(1), "found 12; allowed: text"),
        (
            TUNE,
            "\"tictactoe\"",
            "\"go\"",
            "game",
            Some(2),
            "xiangqi, chess, shogi, othello, tictactoe",
        ),
        (TUNE, "game = \"tictactoe\"\n", "", "game", None, "found nothing"),
        (TUNE, "18446744073709551615", "-1", "seed", Some(3), "from 0 to 18446744073709551615"),
        (TUNE, "18446744073709551615", "1.5", "seed", Some(3), "found 1.5"),
        (TUNE, "nodes = 2_000", "nodes = 0", "limit.nodes", Some(5), "found 0"),
        (TUNE, "nodes = 2_000", "", "limit.nodes", Some(4), "found nothing"),
        (TUNE, "[limit]\nnodes = 2_000\n", "", "limit", None, "a [limit] table"),
        (
            TUNE,
            "pairs = 64",
            "pairs = 64\npiars = 3",
            "tune.piars",
            Some(8),
            "did you mean `pairs`?",
        ),
        (TUNE, "pairs = 64", "pairs = true", "tune.pairs", Some(7), "found true"),
        (TUNE, "a_ratio = 0", "a_ratio = nan", "tune.a_ratio", Some(8), "a finite number"),
        (TUNE, "a_ratio = 0", "a_ratio = 2", "tune.a_ratio", Some(8), "0 to 1"),
        (
            TUNE,
            "pairs = 64",
            "pairs = 64\noptimizer = \"adam\"",
            "tune.optimizer",
            Some(8),
            "spsa, bqr",
        ),
        (TUNE, "pairs = 64", "pairs = 64\ngains = \"mine\"", "tune.gains", Some(8), "openbench"),
        (TUNE, "pairs = 64", "pairs = 64\ngamma = 0.7", "tune.gamma", Some(8), "less than alpha"),
        (
            TUNE,
            "[fixed]",
            "[tune.bqr]\nforgets = 1\n[fixed]",
            "tune.bqr.forgets",
            Some(10),
            "did you mean `forget`?",
        ),
        (
            TUNE,
            "a_ratio = 0",
            "optimizer = \"bqr\"\nbqr.reach = 0",
            "tune.bqr.reach",
            Some(9),
            "0.1 to 100",
        ),
        (TUNE, "[tune]", "[test]", "test.a_ratio", Some(8), "allowed: pairs"),
        (TUNE, "[tune]", "[tunes]", "tune", None, "a [tune] table"),
        (TUNE, "razor_depth = 1", "razor_deep = 1", "fixed.razor_deep", Some(10), "`razor_depth`?"),
        (TUNE, "razor_depth = 1", "razor_depth = 1.5", "fixed.razor_depth", Some(10), "a whole"),
        (TUNE, "razor_depth = 1", "rfp_depth = 1", "parameter[1].name", Some(15), "a second time"),
        (TUNE, "\"lmr_base\"", "\"lmr_bass\"", "parameter[0].name", Some(12), "did you mean"),
        (TUNE, "start = 0.5", "start = 5", "parameter[0].start", Some(13), "-1 to 3"),
        (TUNE, "start = 0.5", "begin = 5", "parameter[0].begin", Some(13), "allowed: name, kind"),
        (TUNE, "kind = \"int\"", "kind = \"float\"", "parameter[1].kind", Some(16), "leave `kind`"),
        (TUNE, "max = 8", "max = 80", "parameter[1].max", Some(18), "the engine's range"),
        (TUNE, "max = 8", "max = 0", "parameter[1].max", Some(18), "more than min"),
        (TUNE, "c_end = 1.5", "c_end = 0", "parameter[1].c_end", Some(19), "half the range"),
        (TUNE, "[fixed]", "fixed =", "file", Some(9), "TOML"),
        (TUNE, "seed = ", "seed = \u{1b}", "file", Some(3), "TOML"),
        (TEST, "[candidate]\nlmr_base = 1.25\n", "", "candidate", None, "candidate_run"),
        (TEST, "[limit]", "candidate_run = 3\n[limit]", "candidate_run", Some(4), "not both"),
        (TEST, "elo1 = 10", "elo1 = -1", "sprt.elo1", Some(13), "more than elo0"),
        (TEST, "\"logistic\"", "\"bayes\"", "sprt.model", Some(14), "normalized, logistic"),
        (RACE, "\"all\"", "\"last\"", "race.stop", Some(6), "first, all"),
        (RACE, "[race]", "[test]", "test", Some(5), "race"),
        (RACE, "\"two\"", "\"one\"", "candidate[1].name", Some(11), "no other candidate has"),
        (RACE, "run = 7", "run = 7\nvalues = {}", "candidate[1].run", Some(12), "one of the two"),
        (RACE, "run = 7", "", "candidate[1].values", Some(10), "the id of a tune"),
        (RACE, "run = 7", "run = 9", "candidate[1].run", Some(12), "not known here"),
        (
            RACE,
            "run = 7",
            "values = { lmr_base = 1.25 }",
            "candidate[1].values",
            Some(12),
            "as candidate `one`",
        ),
        (RACE, "lmr_base = 1.25", "lmr_bass = 1", "candidate[0].values.lmr_bass", Some(9), "did"),
        (RACE, "[[candidate]]\nname = \"two\"\nrun = 7\n", "", "candidate", Some(7), "2 to 64"),
        (TEST, "[sprt]", "[test]\nfutility = 0.6\n[sprt]", "test.futility", Some(13), "0 to 0.5"),
        (TEST, "[sprt]", "[tune]\npairs = 1\n[sprt]", "sprt", Some(14), "an unknown field"),
        (TEST, "[base]\nrfp_depth = 2", "base = 3", "candidate.base", Some(10), "does not have"),
        (
            TEST,
            "[candidate]\nlmr_base = 1.25",
            "[candidate]\nrfp_depth = 2",
            "candidate",
            Some(8),
            "differs",
        ),
    ];
    for (text, from, to, place, line, part) in cases {
        assert!(text.contains(from), "{from:?} is not in the file");
        let found = findings(&text.replacen(from, to, 1));
        let hit = found.iter().find(|f| f.place == place);
        let hit = hit.unwrap_or_else(|| panic!("{from:?} to {to:?}: no `{place}` in {found:#?}"));
        assert_eq!(hit.line, line, "{from:?} to {to:?}: {hit}");
        assert!(hit.to_string().contains(part), "{from:?} to {to:?}: {hit}");
        assert!(!hit.to_string().contains('\u{1b}'));
    }
}

#[test]
fn an_unknown_parameter_leaves_the_others_in_their_places() {
    let text = TUNE.replace("\"lmr_base\"", "\"nonsense\"").replace("max = 8", "max = 80");
    let found = findings(&text);
    let places: Vec<_> = found.iter().map(|f| (f.place.as_str(), f.line)).collect();
    assert_eq!(places, [("parameter[0].name", Some(12)), ("parameter[1].max", Some(18))]);
}

#[test]
fn all_mistakes_are_said_at_once_and_in_order() {
    let text = TUNE.replace("pairs = 64", "pairs = 0").replace("start = 0.5", "strat = 1");
    let text = text.replace("\"tictactoe\"", "3");
    let lines: Vec<_> = findings(&text).iter().map(|f| f.line).collect();
    assert_eq!(lines, [Some(2), Some(7), Some(13)]);
}

#[test]
fn what_is_kept_of_the_games_stands_in_the_file_and_can_be_overruled() {
    let with = |lines: &str| RunFile::parse(&TUNE.replace("[limit]", &format!("{lines}\n[limit]")));
    assert_eq!(with("").unwrap().keep, Keep::default());
    let file = with("keep_moves = \"sample=1%\"\nkeep_evals = \"yes\"").unwrap();
    assert_eq!((file.keep.moves.to_string().as_str(), file.keep.evals), ("sample=1%", true));
    assert_eq!(file.clone().keeping(None, false).keep, file.keep);
    assert_eq!(file.keeping(Some(KeepMoves::NONE), false).keep.moves, KeepMoves::NONE);
    let FindingList(findings) = with("keep_moves = \"some\"").unwrap_err();
    assert_eq!((findings[0].place.as_str(), findings[0].line), ("keep_moves", Some(4)));
}
