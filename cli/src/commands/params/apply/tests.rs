//! The engine's own sources are read and changed, in memory and in a copy.

use super::declarations::{Sources, read};
use super::plan::{effective, plan};
use super::*;
use std::collections::BTreeMap;

fn engine() -> Sources {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(ENGINE);
    read_sources(&folder).unwrap()
}

fn defaults(sources: &Sources, game: GameKind) -> BTreeMap<String, f64> {
    let declared = read(sources, game).unwrap();
    effective(&declared).into_iter().map(|(name, (value, _))| (name.to_owned(), value)).collect()
}

/// Another value of every constant: an end of its range.
fn moved(game: GameKind) -> ParameterSet {
    let ends = engine::definitions(game).iter().map(|def| {
        let value = if def.default == def.max { def.min } else { def.max };
        (def.name.to_string(), value)
    });
    ends.collect()
}

#[test]
fn every_default_of_every_game_is_found_and_moved_and_nothing_else() {
    let sources = engine();
    for game in GameKind::ALL {
        let set = moved(game);
        let changed = plan(&sources, game, &set).unwrap();
        let mut after = sources.clone();
        after.extend(changed.clone());
        let found = defaults(&after, game);
        assert_eq!(found, set.0.clone().into_iter().collect::<BTreeMap<_, _>>(), "{game}");
        for other in GameKind::ALL.into_iter().filter(|other| *other != game) {
            assert_eq!(defaults(&after, other), defaults(&sources, other), "{game} and {other}");
        }
        // Without numbers and added entries the texts are what they were.
        for (path, text) in &changed {
            let mask = |text: &str| -> String {
                let kept = |line: &&str| !line.trim_start().starts_with("(\"");
                // A list that was empty is opened on a line of its own.
                let text = text.lines().filter(kept).collect::<Vec<_>>().join("\n");
                text.replace("= &[\n    ];", "= &[];")
                    .replace(|c: char| c.is_ascii_digit() || "-.e".contains(c), "")
            };
            assert_eq!(mask(text), mask(&sources[path]), "{path}");
        }
    }
}

#[test]
fn a_value_goes_where_its_game_has_it() {
    let sources = engine();
    let one = |game, name: &str, value: f64| {
        let set = ParameterSet::from_iter([(name.to_owned(), value)]);
        let changed = plan(&sources, game, &set).unwrap();
        let (path, text) = changed.first_key_value().expect("a change");
        let diff = TextDiff::from_lines(sources[path].as_str(), text.as_str());
        let lines: Vec<_> = diff
            .iter_all_changes()
            .filter(|change| change.tag() == similar::ChangeTag::Insert)
            .map(|change| change.value().trim().to_owned())
            .collect();
        (path.clone(), lines.join("\n"))
    };
    let opened = one(GameKind::Chess, "rfp_depth", 9.0);
    assert_eq!(opened.0, "chess/mod.rs");
    let list = "const DEFAULTS: &'static [(&'static str, f64)] = &[\n(\"rfp_depth\", 9.0),\n];";
    assert_eq!(opened.1, list);
    let own = one(GameKind::Othello, "rfp_depth", 9.0);
    assert_eq!(own, ("othello/mod.rs".into(), "(\"rfp_depth\", 9.0),".into()));
    let added = one(GameKind::TicTacToe, "rfp_margin", 88.0);
    assert_eq!(added, ("tictactoe.rs".into(), "(\"rfp_margin\", 88.0),".into()));
    let table = one(GameKind::Chess, "square_rook_3_eg", -7.0);
    assert_eq!(table.0, "chess/squares.rs");
    let pair = one(GameKind::Xiangqi, "tempo_mg", 22.0);
    assert_eq!(pair.0, "xiangqi/weights.rs");
    assert!(pair.1.starts_with("tempo: Pair = Pair::new(22, "), "{}", pair.1);
}

#[test]
fn what_the_engine_does_not_take_and_other_sources_are_refused() {
    let mut sources = engine();
    let refuse = |sources: &Sources, name: &str, value: f64| {
        let set = ParameterSet::from_iter([(name.to_owned(), value)]);
        plan(sources, GameKind::Chess, &set).unwrap_err().to_string()
    };
    assert!(refuse(&sources, "rfp_depht", 1.0).starts_with("unknown parameter `rfp_depht`"));
    assert!(refuse(&sources, "rfp_depth", 99.0).contains("found 99"));
    assert!(refuse(&sources, "rfp_depth", 2.5).contains("a whole number"));
    let pruning = sources.get_mut("search/pruning.rs").unwrap();
    *pruning = pruning.replacen("rfp_depth: i32 = ", "rfp_depth: i32 = 1", 1);
    let error = refuse(&sources, "lmr_base", 0.5);
    assert!(error.contains("not those of this program: `rfp_depth` has default"), "{error}");
}
