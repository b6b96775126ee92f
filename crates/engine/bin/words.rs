//! What the engine says, in each dialect.

use crate::board::{Answer, Found};
use engine::mate::MateAnswer;
use engine::mate_distance;
use engine::protocol::Dialect;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The way to the other side: whole lines, one at a time, sent at once.
#[derive(Clone)]
pub(crate) struct Out(Arc<Mutex<dyn Write + Send>>);

impl Out {
    pub(crate) fn new(to: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(to)))
    }

    /// Says one line. Whoever no longer listens will close the other pipe as well, which ends the
    /// session; so an error here is nobody's.
    pub(crate) fn say(&self, line: &str) {
        let mut to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(to, "{line}").and_then(|()| to.flush());
    }

    /// Says what went wrong, in a form that every dialect lets pass.
    pub(crate) fn complain(&self, error: &str) {
        self.say(&format!("info string error: {error}"));
    }
}

/// A line of an iteration.
pub(crate) fn info(dialect: Dialect, found: &Found, elapsed: Duration) -> String {
    let mut line = format!("info depth {}", found.depth);
    if dialect != Dialect::Ucci {
        let _ = write!(line, " seldepth {} multipv {}", found.selective_depth, found.line);
    }
    let _ = match (dialect, mate_distance(found.score)) {
        (Dialect::Ucci, _) => write!(line, " score {}", found.score.0),
        (_, None) => write!(line, " score cp {}", found.score.0),
        // Moves of the side that mates, rounded up; shogi counts half-moves.
        (Dialect::Uci, Some(plies)) => {
            write!(line, " score mate {}", if plies > 0 { (plies + 1) / 2 } else { plies / 2 })
        }
        (Dialect::Usi, Some(plies)) => write!(line, " score mate {plies}"),
    };
    if dialect != Dialect::Ucci {
        let nps = found.nodes.0 as f64 / elapsed.as_secs_f64().max(1e-6);
        let _ = write!(
            line,
            " nodes {} nps {} hashfull {} time {}",
            found.nodes.0,
            nps as u64,
            found.table_permille,
            elapsed.as_millis()
        );
    }
    line.push_str(" pv");
    for mv in &found.pv {
        line.push(' ');
        line.push_str(mv);
    }
    line
}

/// What a search for a mate has found.
pub(crate) fn mate(answer: &MateAnswer<String>) -> String {
    match answer {
        MateAnswer::Mate(line) => format!("checkmate {}", line.join(" ")),
        MateAnswer::NoMate => "checkmate nomate".to_owned(),
        MateAnswer::Unknown => "checkmate timeout".to_owned(),
    }
}

/// The move to play.
pub(crate) fn answer(dialect: Dialect, answer: &Answer) -> String {
    match (&answer.best, &answer.ponder) {
        (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
        (Some(best), None) => format!("bestmove {best}"),
        (None, _) => match dialect {
            Dialect::Uci => "bestmove (none)".to_owned(),
            Dialect::Ucci => "nobestmove".to_owned(),
            Dialect::Usi => "bestmove resign".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::MATE;
    use model::{Nodes, Score};

    fn found(score: i32) -> Found {
        Found {
            depth: 7,
            selective_depth: 11,
            line: 1,
            score: Score(score),
            nodes: Nodes(1000),
            table_permille: 3,
            pv: vec!["h2e2".to_owned(), "h9g7".to_owned()],
        }
    }

    #[test]
    fn each_dialect_has_its_own_form() {
        let at = Duration::from_millis(500);
        assert_eq!(
            info(Dialect::Uci, &found(31), at),
            "info depth 7 seldepth 11 multipv 1 score cp 31 nodes 1000 nps 2000 hashfull 3 time 500 \
             pv h2e2 h9g7"
        );
        assert_eq!(info(Dialect::Ucci, &found(31), at), "info depth 7 score 31 pv h2e2 h9g7");
        let none = Answer { best: None, ponder: None };
        for (dialect, text) in [
            (Dialect::Uci, "bestmove (none)"),
            (Dialect::Ucci, "nobestmove"),
            (Dialect::Usi, "bestmove resign"),
        ] {
            assert_eq!(answer(dialect, &none), text);
        }
    }

    #[test]
    fn a_mate_problem_has_three_answers() {
        let line = ["G*5b", "5a4a"].map(str::to_owned).to_vec();
        assert_eq!(mate(&MateAnswer::Mate(line)), "checkmate G*5b 5a4a");
        assert_eq!(mate(&MateAnswer::NoMate), "checkmate nomate");
        assert_eq!(mate(&MateAnswer::Unknown), "checkmate timeout");
    }

    #[test]
    fn mates_are_counted_in_moves_or_in_plies() {
        let says = |dialect, score, part: &str| {
            let line = info(dialect, &found(score), Duration::ZERO);
            assert!(line.contains(part), "{line}");
        };
        says(Dialect::Uci, MATE - 1, " score mate 1 ");
        says(Dialect::Uci, MATE - 5, " score mate 3 ");
        says(Dialect::Uci, -MATE + 2, " score mate -1 ");
        says(Dialect::Uci, -MATE + 4, " score mate -2 ");
        says(Dialect::Usi, MATE - 5, " score mate 5 ");
        says(Dialect::Usi, -MATE + 2, " score mate -2 ");
    }
}
