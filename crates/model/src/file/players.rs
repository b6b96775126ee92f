//! Who plays a run as its author writes it: names of engines, and what each side may spend.

use super::adjudication::adjudication;
use super::reader::{Reader, Section, nearest};
use super::resolve::Surroundings;
use crate::side_limit::duration_of;
use crate::spec::{EngineSpec, ExternalEngine, GameLimit, PlayerSpec, Players};
use crate::{Finding, Nodes, ParameterDef, Ply, SideLimit, TimeControl, printable};
use std::time::Duration;

/// The word for the engine built in.
const BUILTIN: &str = "builtin";

/// How much later than allowed a move may come when the file does not say: what the scheduler of a
/// busy machine may cost.
const USUAL_MARGIN: Duration = Duration::from_millis(50);

/// Who plays, as written. The default is the engine built in on both sides, under `limit.nodes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayersFile {
    /// Who shall be better.
    pub candidate: PlayerFile,
    /// Whom to beat.
    pub base: PlayerFile,
    /// Nodes a second of the machine for which times are meant.
    pub reference_speed: Option<Nodes>,
}

/// One side, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerFile {
    /// The name of a published engine; `None`: the one built in.
    pub engine: Option<String>,
    /// What it may spend.
    pub limit: SideLimit,
}

/// A published engine.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownEngine {
    /// Its name.
    pub name: String,
    /// What workers fetch.
    pub engine: ExternalEngine,
    /// Its parameters.
    pub parameters: Vec<ParameterDef>,
}

impl PlayersFile {
    /// The names of the published engines that play.
    pub(super) fn names(&self) -> Vec<&str> {
        let names = [&self.candidate, &self.base].map(|side| side.engine.as_deref());
        let mut names: Vec<&str> = names.into_iter().flatten().collect();
        names.dedup();
        names
    }

    /// Whether a side has a limit of time.
    pub(super) fn is_timed(&self) -> bool {
        [&self.candidate, &self.base].into_iter().any(|side| side.limit.is_timed())
    }

    /// The same under the engine built in and a number of nodes is what every run was before there
    /// was a choice, and needs no saying.
    fn is_plain(&self) -> bool {
        let only_nodes = |limit: &SideLimit| {
            limit.nodes.is_some() && SideLimit { nodes: None, ..*limit } == SideLimit::default()
        };
        self.candidate == self.base
            && self.candidate.engine.is_none()
            && only_nodes(&self.candidate.limit)
    }

    /// Complete players; none where nothing needs saying.
    pub(super) fn resolve(
        &self,
        around: &Surroundings<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<Players> {
        if self.is_plain() {
            return None;
        }
        let is_one = self.candidate.engine == self.base.engine;
        let mut side = |place: &str, file: &PlayerFile| PlayerSpec {
            engine: match &file.engine {
                None => EngineSpec::Builtin,
                Some(name) => match around.engine(name) {
                    Some(known) => EngineSpec::External(known.engine.clone()),
                    None => {
                        let place = if is_one { "engine" } else { place };
                        if !findings.iter().any(|old: &Finding| old.place == place) {
                            findings.push(unknown(place, name, &around.engines));
                        }
                        EngineSpec::Builtin
                    }
                },
            },
            limit: file.limit,
        };
        Some(Players {
            candidate: side("candidate_engine", &self.candidate),
            base: side("base_engine", &self.base),
            reference_speed: self.reference_speed.or(around.speed).filter(|_| self.is_timed()),
        })
    }
}

impl Surroundings<'_> {
    fn engine(&self, name: &str) -> Option<&KnownEngine> {
        self.engines.iter().find(|known| known.name == name)
    }

    /// What the engine of a side knows.
    pub(super) fn known_by(&self, side: &PlayerFile) -> &[ParameterDef] {
        match &side.engine {
            None => self.known,
            Some(name) => self.engine(name).map_or(&[], |known| &known.parameters),
        }
    }
}

fn unknown(place: &str, name: &str, known: &[KnownEngine]) -> Finding {
    let names: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
    let mend = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`elomill engine publish` makes an engine known to the coordinator".to_owned(),
    };
    let found = format!("`{}`, which the coordinator does not have", printable(name, 60));
    let allowed = std::iter::once(BUILTIN).chain(names).collect::<Vec<_>>().join(", ");
    Finding::new(place, found, allowed, mend)
}

/// Reads `engine`, `candidate_engine`, `base_engine`, `[adjudication]` and `[limit]`.
pub(super) fn players(reader: &mut Reader<'_>, root: &mut Section<'_>) -> (GameLimit, PlayersFile) {
    let mut name = |field| root.text(reader, field).filter(|name| name != BUILTIN);
    let both = name("engine");
    let (candidate, base) = (name("candidate_engine"), name("base_engine"));
    let says = |field: &str| root.has(field);
    let engines = [
        if says("candidate_engine") { candidate } else { both.clone() },
        if says("base_engine") { base } else { both },
    ];
    let ends = adjudication(reader, root);
    let Some(mut section) = root.section(reader, "limit") else {
        reader.missing(root, "limit", "a [limit] table", "[limit]\n  nodes = 2000");
        let limit = GameLimit::new(Nodes(1), Ply(300), 1024);
        return (limit, PlayersFile::default());
    };
    let max_plies = section.whole(reader, "max_plies", Some(300), 2..=2000);
    let hash_kib = section.whole(reader, "hash_kib", Some(1024), 16..=4_194_304);
    let reference_speed = optional(reader, &mut section, "reference_speed", 1..=1_000_000_000_000);
    let is_divided = section.has("candidate") && section.has("base");
    let common = side_limit(reader, &mut section, !is_divided);
    let mut own = |field| match section.section(reader, field) {
        None => common,
        Some(mut part) => {
            let limit = side_limit(reader, &mut part, true);
            part.finish(reader);
            limit
        }
    };
    let limits = [own("candidate"), own("base")];
    section.finish(reader);
    let [candidate, base] = engines;
    let players = PlayersFile {
        candidate: PlayerFile { engine: candidate, limit: limits[0] },
        base: PlayerFile { engine: base, limit: limits[1] },
        reference_speed: reference_speed.map(Nodes),
    };
    let spec = |file: &PlayerFile| PlayerSpec { engine: EngineSpec::Builtin, limit: file.limit };
    let cost = Players {
        candidate: spec(&players.candidate),
        base: spec(&players.base),
        reference_speed: None,
    };
    let limit = GameLimit {
        nodes: cost.cost(),
        max_plies: Ply(max_plies),
        hash_kib: u32::try_from(hash_kib).unwrap_or(u32::MAX),
        adjudication: ends,
    };
    (limit, players)
}

/// What one side may spend; where nothing is said and something must be, nodes are missed.
fn side_limit(reader: &mut Reader<'_>, section: &mut Section<'_>, is_needed: bool) -> SideLimit {
    let others = ["depth", "movetime", "clock"].iter().any(|field| section.has(field));
    reader.note(section, "nodes", "a whole number from 1 to 1000000000", Some(String::new()));
    let nodes = match section.has("nodes") || (is_needed && !others) {
        true => Some(section.whole(reader, "nodes", None, 1..=1_000_000_000)),
        false => None,
    };
    section.allow(&["nodes"]);
    let depth = optional(reader, section, "depth", 1..=1000);
    let mut seconds = |field: &str| {
        let number = section.optional_number(reader, field)?;
        let time = duration_of(number);
        if time.is_none() {
            let allowed = "seconds from 0 to 2592000";
            reader.wrong(section, field, number.to_string(), allowed, "write movetime = 0.1");
        }
        time
    };
    let (movetime, margin) = (seconds("movetime"), seconds("margin"));
    let clock = section.text(reader, "clock").and_then(|text| match TimeControl::parse(&text) {
        Ok(clock) => Some(clock),
        Err(error) => {
            let found = format!("\"{}\"", error.found);
            reader.wrong(section, "clock", found, error.allowed, "write clock = \"10+0.1\"");
            None
        }
    });
    let mut limit = SideLimit {
        clock,
        movetime,
        nodes,
        depth: depth.and_then(|depth| u32::try_from(depth).ok()),
        margin: Duration::ZERO,
    };
    if limit.is_timed() {
        limit.margin = margin.unwrap_or(USUAL_MARGIN);
    }
    limit
}

/// A whole number that may be left out.
fn optional(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    field: &str,
    range: std::ops::RangeInclusive<u64>,
) -> Option<u64> {
    section.allow(&[field]);
    let allowed = format!("a whole number from {} to {}", range.start(), range.end());
    reader.note(section, field, &allowed, Some(String::new()));
    section.has(field).then(|| section.whole(reader, field, None, range))
}
