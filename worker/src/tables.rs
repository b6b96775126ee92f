//! The tables of a slot at which programs of others sit, kept from lease to lease.
//!
//! Whoever plays a lease with the same programs, options and kind of limit as one before sits down at its
//! table: nothing is started, and what differs, as the probes of a tune do, is set between two games. A
//! table at which nobody has played for a while is left, and so are the longest unused when those that
//! wait would take more memory than one program may. A table whose programs fail to start is left at once;
//! within a game, a process that fails is replaced by the arena.

use crate::contest::{Contest, DuelPlan, DuelTable, Refused};
use model::lease::{Opening, PairRecord};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long programs wait for another lease.
const PATIENCE: Duration = Duration::from_secs(120);

/// Tables that are kept at most, the one in use among them.
const MOST: usize = 4;

/// All tables of a slot.
pub(crate) struct Tables {
    /// The last used first.
    kept: Vec<Kept>,
    /// The memory that programs without a game may take together, in MiB.
    most_idle_mib: u64,
}

struct Kept {
    table: DuelTable,
    /// The contest that it is set for.
    contest: Arc<Contest>,
    used: Instant,
    memory_mib: u64,
}

impl Tables {
    /// None yet.
    pub(crate) fn new(most_idle_mib: u64) -> Self {
        Self { kept: Vec::new(), most_idle_mib }
    }

    /// Plays a pair of a contest, whose plan is given with it, on the calling thread, which must be the
    /// same each time and live as long as this does; `None` when `stop` came first.
    pub(crate) fn play(
        &mut self,
        contest: &Arc<Contest>,
        plan: &DuelPlan,
        opening: &Opening,
        stop: &AtomicBool,
    ) -> Result<Option<PairRecord>, Refused> {
        let mut kept = match self.take(contest, plan)? {
            Some(kept) => kept,
            None => {
                // The old ones go before the new ones come.
                self.make_room(MOST - 1);
                let (contest, memory_mib) = (Arc::clone(contest), plan.memory_mib());
                Kept { table: plan.table()?, contest, used: Instant::now(), memory_mib }
            }
        };
        // Programs that do not start are none to go on with: their table is not put back.
        let played = kept.table.play(opening, stop)?;
        kept.used = Instant::now();
        self.kept.insert(0, kept);
        Ok(played)
    }

    /// The table of this contest, or one that can be set for it.
    fn take(&mut self, contest: &Arc<Contest>, plan: &DuelPlan) -> Result<Option<Kept>, Refused> {
        if let Some(place) = self.kept.iter().position(|k| Arc::ptr_eq(&k.contest, contest)) {
            return Ok(Some(self.kept.remove(place)));
        }
        for place in 0..self.kept.len() {
            match self.kept[place].table.turn_to(plan) {
                Ok(false) => {}
                Ok(true) => {
                    let mut kept = self.kept.remove(place);
                    (kept.contest, kept.memory_mib) = (Arc::clone(contest), plan.memory_mib());
                    return Ok(Some(kept));
                }
                Err(refused) => {
                    self.kept.remove(place);
                    return Err(refused);
                }
            }
        }
        Ok(None)
    }

    /// Leaves the longest unused until so many are left, and what they may take is not too much.
    fn make_room(&mut self, most: usize) {
        let mut taken = 0_u64;
        let fit = self.kept.iter().take(most).take_while(|kept| {
            taken = taken.saturating_add(kept.memory_mib);
            taken <= self.most_idle_mib
        });
        let fit = fit.count();
        self.kept.truncate(fit);
    }

    /// When the next table is left, if nobody plays at it before.
    pub(crate) fn next_end(&self) -> Option<Instant> {
        self.kept.iter().map(|kept| kept.used + PATIENCE).min()
    }

    /// Leaves every table at which nobody has played for too long.
    pub(crate) fn end_idle(&mut self, now: Instant) {
        self.kept.retain(|kept| now < kept.used + PATIENCE);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use model::GameKind;
    use model::lease::PairIndex;
    use std::path::Path;

    /// Plays the first free square, and tells a file when it starts and what it is told.
    const SCRIPT: &str = r#"#!/usr/bin/python3
import sys
log = open(sys.argv[1], "a")
tell = lambda text: print(text, file=log, flush=True)
say = lambda text: print(text, flush=True)
tell("start")
taken = set()
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        say("option name Skill type spin default 5 min 0 max 9")
        say("option name Hash type spin default 1 min 1 max 1024")
        say("uciok")
    elif words[0] == "setoption":
        tell(" ".join(words[2:]))
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "position":
        rows = words[2].split("/") if words[1] == "fen" else ["..."] * 3
        taken = {"abc"[x] + str(3 - y) for y in range(3) for x in range(3) if rows[y][x] != "."}
        taken |= set(words[words.index("moves") + 1:]) if "moves" in words else set()
    elif words[0] == "go":
        tell(" ".join(words))
        say("bestmove " + [f + r for f in "abc" for r in "123" if f + r not in taken][0])
    elif words[0] == "quit":
        break
tell("end")
"#;

    /// A contest of the script, as candidate with this skill, against the engine built in.
    fn contest(folder: &Path, skill: f64, nodes: u64, hash_mib: u64) -> Arc<Contest> {
        use arena::duel::{Duel, DuelRules, Entrant, Mind, Program};
        let mut program = Program::new("python3", model::Protocol::Uci);
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        program.arguments = vec![path("engine.py"), path("log")];
        program.parameters = vec![("Skill".to_owned(), skill)];
        program.hash_mib = Some(hash_mib);
        let limit = model::SideLimit { nodes: Some(nodes), ..model::SideLimit::default() };
        let entrant = |mind| Entrant { name: "one".to_owned(), mind, limit };
        let inside = Mind::Builtin { parameters: model::ParameterSet::default(), hash_mb: 1 };
        let duel = Duel {
            game: GameKind::TicTacToe,
            entrants: [entrant(Mind::Program(program)), entrant(inside)],
            rules: DuelRules::default(),
            rule_set: games::xiangqi::RuleSet::default(),
            tablebases: None,
            pgn_tags: None,
        };
        Arc::new(Contest::Duel(Box::new(DuelPlan::without_jail(duel))))
    }

    fn play(tables: &mut Tables, contest: &Arc<Contest>) {
        let Contest::Duel(plan) = &**contest else { unreachable!("it is one") };
        let opening = Opening { index: PairIndex(0), position: ".../.../... x".to_owned() };
        let played = tables.play(contest, plan, &opening, &AtomicBool::new(false));
        assert!(matches!(played, Ok(Some(_))), "{played:?}");
    }

    #[test]
    fn a_lease_with_the_same_programs_starts_none_and_tells_what_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        std::fs::write(folder.join("engine.py"), SCRIPT).expect("written");
        let log = || std::fs::read_to_string(folder.join("log")).unwrap_or_default();
        let count = |line: &str| log().lines().filter(|found| *found == line).count();
        let mut tables = Tables::new(1000);
        for (skill, nodes) in [(1.0, 10), (1.0, 10), (2.0, 10), (2.0, 99), (1.0, 10)] {
            play(&mut tables, &contest(folder, skill, nodes, 1));
        }
        assert_eq!((count("start"), count("end")), (1, 0), "{}", log());
        let skills: Vec<String> =
            log().lines().filter(|line| line.starts_with("Skill")).map(str::to_owned).collect();
        assert_eq!(skills, ["Skill value 1", "Skill value 2", "Skill value 1"]);
        assert!(count("go nodes 99") > 0 && count("go nodes 10") > 0, "{}", log());

        // Another table of memory is another process; the first waits beside it, and is found again.
        play(&mut tables, &contest(folder, 1.0, 10, 2));
        play(&mut tables, &contest(folder, 3.0, 10, 1));
        assert_eq!((count("start"), count("end")), (2, 0), "{}", log());

        // Nobody waits for ever.
        let end = tables.next_end().expect("they wait");
        tables.end_idle(end - Duration::from_millis(1));
        assert_eq!(tables.kept.len(), 2);
        tables.end_idle(end + PATIENCE);
        assert!(tables.next_end().is_none());
        play(&mut tables, &contest(folder, 1.0, 10, 1));
        assert_eq!(count("start"), 3, "{}", log());
    }

    #[test]
    fn programs_that_wait_take_no_more_memory_than_they_may() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        std::fs::write(folder.join("engine.py"), SCRIPT).expect("written");
        let mut tables = Tables::new(0);
        for hash_mib in [1, 2, 3] {
            play(&mut tables, &contest(folder, 1.0, 10, hash_mib));
            for kept in &mut tables.kept {
                kept.memory_mib = 1;
            }
        }
        assert_eq!(tables.kept.len(), 1);
    }
}
