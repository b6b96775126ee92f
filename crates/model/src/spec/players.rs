//! Who plays a run: the engine built in or a program of somebody else, and what each side may spend.

use super::between;
use crate::file::{EngineFile, EngineSource};
use crate::{Finding, FindingList, GameKind, Nodes, SideLimit, printable};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest manifest of an engine, in bytes.
pub const MOST_MANIFEST_BYTES: usize = 16 * 1024;

/// Largest artefact of an engine, in bytes.
pub const MOST_ARTEFACT_BYTES: u64 = 1 << 30;

/// Nodes of a microsecond, where the cost of a time is told in nodes.
const NODES_OF_MICROSECOND: f64 = 1.0;
/// Moves that the base of a clock is spread over, where its cost is told.
const MOVES_OF_CLOCK: f64 = 50.0;
/// Nodes of a search that only its depth limits, where its cost is told.
const NODES_OF_DEPTH: u64 = 100_000;

/// Both sides of a run in which not the engine built in plays itself under a number of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Players {
    /// Who shall be better; in a tune, the upper probe.
    pub candidate: PlayerSpec,
    /// Whom to beat; in a tune, the lower probe.
    pub base: PlayerSpec,
    /// Nodes a second of the benchmark of the engine built in, on the machine for which times are
    /// meant; each worker gives so much more time as it is slower. `None`: times are taken as they
    /// are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_speed: Option<Nodes>,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerSpec {
    /// Who thinks.
    pub engine: EngineSpec,
    /// What it may spend.
    pub limit: SideLimit,
}

/// An engine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineSpec {
    /// The project's own, inside the worker.
    Builtin,
    /// A program of somebody else.
    External(ExternalEngine),
}

/// A program by its content: what is fetched, and how it is made ready and spoken to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalEngine {
    /// SHA-256 of what is fetched, in lower-case hex: the program itself, or its packed source.
    pub artefact: String,
    /// Length of that.
    pub bytes: u64,
    /// The manifest, as its author wrote it. Its source says what the artefact is: a `file` is the
    /// program, anything else is built from a tar archive by its recipe.
    pub manifest: String,
}

impl ExternalEngine {
    /// What the manifest says.
    ///
    /// # Errors
    /// Everything that is wrong in it.
    pub fn file(&self) -> Result<EngineFile, FindingList> {
        EngineFile::parse(&self.manifest)
    }

    /// Everything that is wrong with it for this game, `place` being what the findings call it.
    ///
    /// # Errors
    /// All of it.
    pub fn check(&self, place: &str, game: GameKind) -> Result<EngineFile, FindingList> {
        let mut findings = Vec::new();
        let is_hash = self.artefact.len() == 64
            && self.artefact.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !is_hash {
            findings.push(Finding::new(
                format!("{place}.artefact"),
                format!("`{}`", printable(&self.artefact, 70)),
                "64 digits of 0-9 and a-f",
                "let `elomill engine publish` compute the hash",
            ));
        }
        between(&mut findings, &format!("{place}.bytes"), self.bytes, 1, MOST_ARTEFACT_BYTES);
        if self.manifest.len() > MOST_MANIFEST_BYTES {
            findings.push(Finding::new(
                format!("{place}.manifest"),
                format!("{} bytes", self.manifest.len()),
                format!("at most {MOST_MANIFEST_BYTES} bytes"),
                "leave out what is no setting",
            ));
            return Err(FindingList(findings));
        }
        match self.file() {
            Err(FindingList(wrong)) => findings.extend(wrong.into_iter().map(|finding| Finding {
                place: format!("{place}.manifest.{}", finding.place),
                ..finding
            })),
            Ok(file) => {
                if file.game != game {
                    findings.push(Finding::new(
                        format!("{place}.manifest.game"),
                        file.game.name(),
                        game.name(),
                        "name an engine of the run's game",
                    ));
                }
                if let EngineSource::File { sha256, .. } = &file.source
                    && *sha256 != self.artefact
                {
                    findings.push(Finding::new(
                        format!("{place}.manifest.build.sha256"),
                        format!("`{sha256}`"),
                        format!("`{}`, the hash of what was published", self.artefact),
                        "publish the engine again",
                    ));
                }
                if findings.is_empty() {
                    return Ok(file);
                }
            }
        }
        Err(FindingList(findings))
    }
}

impl EngineSpec {
    /// The program, if it is one.
    #[must_use]
    pub fn external(&self) -> Option<&ExternalEngine> {
        match self {
            EngineSpec::Builtin => None,
            EngineSpec::External(engine) => Some(engine),
        }
    }

    /// `builtin`, or the name that the manifest gives.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            EngineSpec::Builtin => "builtin".to_owned(),
            EngineSpec::External(engine) => {
                engine.file().map_or_else(|_| "unknown".to_owned(), |file| file.name)
            }
        }
    }
}

impl Players {
    /// The candidate, then the base.
    #[must_use]
    pub fn sides(&self) -> [&PlayerSpec; 2] {
        [&self.candidate, &self.base]
    }

    /// The programs of others, the candidate's first; one that plays both sides comes twice.
    pub fn externals(&self) -> impl Iterator<Item = &ExternalEngine> {
        self.sides().into_iter().filter_map(|side| side.engine.external())
    }

    /// Whether a move of either side can come too late.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.sides().into_iter().any(|side| side.limit.is_timed())
    }

    /// Whether both sides are the same engine with the same means.
    #[must_use]
    pub fn are_alike(&self) -> bool {
        self.candidate == self.base
    }

    /// About what a move costs, in nodes: what the shares of runs are counted in where no number of
    /// nodes is given. A microsecond counts as a node, a clock as fifty moves a game, a search of a
    /// certain depth as 100,000 nodes; the mean of both sides.
    #[must_use]
    pub fn cost(&self) -> Nodes {
        let cost = |limit: &SideLimit| {
            let micros = |time: Duration| time.as_secs_f64() * 1e6 * NODES_OF_MICROSECOND;
            let time = match (limit.movetime, limit.clock) {
                (Some(each), _) => Some(micros(each)),
                (None, Some(clock)) => {
                    let moves = clock.moves.map_or(MOVES_OF_CLOCK, f64::from);
                    Some(micros(clock.base) / moves + micros(clock.increment))
                }
                (None, None) => None,
            };
            let nodes = limit.nodes.or(limit.depth.map(|_| NODES_OF_DEPTH));
            match (time, nodes) {
                (Some(time), Some(nodes)) => time.min(nodes as f64),
                (Some(time), None) => time,
                (None, nodes) => nodes.unwrap_or(1) as f64,
            }
        };
        let mean = self.sides().map(|side| cost(&side.limit)).iter().sum::<f64>() / 2.0;
        Nodes((mean.round() as u64).clamp(1, 1_000_000_000))
    }

    pub(super) fn check(&self, game: GameKind, findings: &mut Vec<Finding>) {
        for (name, side) in [("candidate", &self.candidate), ("base", &self.base)] {
            if let EngineSpec::External(engine) = &side.engine
                && let Err(FindingList(wrong)) = engine.check(&format!("players.{name}"), game)
            {
                findings.extend(wrong);
            }
            check_limit(&format!("limit.{name}"), &side.limit, findings);
        }
        if let Some(speed) = self.reference_speed {
            between(findings, "limit.reference_speed", speed.0, 1, 1_000_000_000_000);
        }
    }
}

/// `fish (10+0.1) against builtin (2000 nodes)`, or once what both have in common.
impl std::fmt::Display for Players {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [candidate, base] = self.sides();
        if self.are_alike() {
            return write!(f, "{}, {}", candidate.engine.name(), candidate.limit);
        }
        let side = |side: &PlayerSpec| format!("{} ({})", side.engine.name(), side.limit);
        write!(f, "{} against {}", side(candidate), side(base))
    }
}

fn check_limit(place: &str, limit: &SideLimit, findings: &mut Vec<Finding>) {
    if limit.is_empty() {
        let mend = "write nodes = 2000, depth = 8, movetime = 0.1 or clock = \"10+0.1\"";
        findings.push(Finding::new(place, "nothing", "a limit of each search", mend));
    }
    if limit.clock.is_some() && limit.movetime.is_some() {
        let allowed = "a clock or a time for each move";
        findings.push(Finding::new(place, "both", allowed, "remove one of the two"));
    }
    if let Some(nodes) = limit.nodes {
        between(findings, &format!("{place}.nodes"), nodes, 1, 1_000_000_000);
    }
    if let Some(depth) = limit.depth {
        between(findings, &format!("{place}.depth"), depth, 1, 1_000);
    }
    // A worker's clock is honest to about a millisecond; an hour a move is no test any more.
    let (least, most) = (0.001, 3600.0);
    if let Some(each) = limit.movetime {
        between(findings, &format!("{place}.movetime"), each.as_secs_f64(), least, most);
    }
    if let Some(clock) = limit.clock {
        let (base, increment) = (clock.base.as_secs_f64(), clock.increment.as_secs_f64());
        between(findings, &format!("{place}.clock"), base.max(increment), 0.01, 6.0 * most);
    }
    between(findings, &format!("{place}.margin"), limit.margin.as_secs_f64(), 0.0, 60.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeControl;

    pub(crate) fn engine() -> ExternalEngine {
        let artefact = "ab".repeat(32);
        let manifest = format!(
            "name = \"fish\"\ngame = \"chess\"\n[build]\nfile = \"fish\"\nsha256 = \"{artefact}\"\n"
        );
        ExternalEngine { artefact, bytes: 5, manifest }
    }

    fn side(limit: SideLimit) -> PlayerSpec {
        PlayerSpec { engine: EngineSpec::External(engine()), limit }
    }

    #[test]
    fn players_come_back_from_json() {
        let limit = SideLimit { nodes: Some(9), ..SideLimit::default() };
        let base = PlayerSpec { engine: EngineSpec::Builtin, limit };
        let players = Players { candidate: side(limit), base, reference_speed: Some(Nodes(7)) };
        let text = serde_json::to_string(&players).unwrap();
        assert!(text.contains(r#""engine":"builtin""#), "{text}");
        assert_eq!(serde_json::from_str::<Players>(&text).unwrap(), players);
        assert_eq!((players.candidate.engine.name().as_str(), players.is_timed()), ("fish", false));
    }

    #[test]
    fn what_is_wrong_with_a_side_is_found() {
        let good = SideLimit { nodes: Some(9), ..SideLimit::default() };
        let good = Players { candidate: side(good), base: side(good), reference_speed: None };
        type Spoil = fn(&mut Players);
        let external: fn(&mut Players) -> &mut ExternalEngine = |p| match &mut p.base.engine {
            EngineSpec::External(engine) => engine,
            EngineSpec::Builtin => unreachable!("it is external"),
        };
        let cases: [(&str, Spoil); 8] = [
            ("limit.candidate", |p| p.candidate.limit = SideLimit::default()),
            ("limit.base", |p| {
                p.base.limit.clock = TimeControl::parse("1+1").ok();
                p.base.limit.movetime = Some(Duration::from_secs(1));
            }),
            ("limit.base.nodes", |p| p.base.limit.nodes = Some(0)),
            ("limit.base.movetime", |p| p.base.limit.movetime = Some(Duration::from_micros(1))),
            ("limit.base.margin", |p| p.base.limit.margin = Duration::from_secs(100)),
            ("limit.reference_speed", |p| p.reference_speed = Some(Nodes(0))),
            ("players.base.manifest.game", |_| ()),
            ("players.base.artefact", |_| ()),
        ];
        for (place, spoil) in cases {
            let mut players = good.clone();
            spoil(&mut players);
            match place {
                "players.base.manifest.game" => {
                    let engine = external(&mut players);
                    engine.manifest = engine.manifest.replace("chess", "shogi");
                }
                "players.base.artefact" => external(&mut players).artefact.push('g'),
                _ => {}
            }
            let mut findings = Vec::new();
            players.check(GameKind::Chess, &mut findings);
            assert!(findings.iter().any(|f| f.place == place), "{place}: {findings:?}");
        }
        let mut findings = Vec::new();
        good.check(GameKind::Chess, &mut findings);
        assert_eq!(findings, []);
    }

    #[test]
    fn players_are_told_in_a_line() {
        let limit = SideLimit { nodes: Some(9), ..SideLimit::default() };
        let one = Players { candidate: side(limit), base: side(limit), reference_speed: None };
        assert_eq!(one.to_string(), "fish, 9 nodes");
        let base = PlayerSpec { engine: EngineSpec::Builtin, limit };
        let two = Players { base, ..one };
        assert_eq!(two.to_string(), "fish (9 nodes) against builtin (9 nodes)");
    }

    #[test]
    fn a_time_has_a_cost_in_nodes() {
        let clock = |text| SideLimit { clock: TimeControl::parse(text).ok(), ..Default::default() };
        let of = |limit| {
            Players { candidate: side(limit), base: side(limit), reference_speed: None }.cost()
        };
        assert_eq!(of(SideLimit { nodes: Some(2000), ..Default::default() }), Nodes(2000));
        assert_eq!(of(clock("10+0.1")), Nodes(300_000));
        assert_eq!(of(clock("40/4")), Nodes(100_000));
        assert_eq!(of(SideLimit { depth: Some(3), ..clock("10+0.1") }), Nodes(100_000));
    }
}
