//! Lines of play, judged by our rules and by an oracle, position by position.

use anyhow::{Context, ensure};
use games::{Game, MoveList};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::opinion::{Difference, Ours, Theirs, checksum};
use super::oracle::{Answer, Oracle};
use super::subject::{Case, Subject};
use super::walk::{Line, line};

/// The class of what nobody has explained.
pub(super) const UNEXPLAINED: &str = "unexplained";

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) seed: u64,
    /// The stream of the first line.
    pub(super) first: u64,
    /// At least so many positions; the last line is compared to its end.
    pub(super) positions: u64,
    /// Differences shown in full, of each class.
    pub(super) shown: usize,
}

/// What a comparison has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) lines: u64,
    pub(super) positions: u64,
    /// How our rules ended the lines; `plies` where they did not.
    pub(super) ends: BTreeMap<&'static str, u64>,
    /// Positions that differ, by class.
    pub(super) differing: BTreeMap<&'static str, u64>,
    /// Some of them in full, one for each line of play.
    pub(super) shown: BTreeMap<&'static str, Vec<String>>,
    pub(super) seconds: f64,
}

impl Tally {
    /// Adds what another part has found, and shows at most so many differences of a class.
    pub(super) fn merge(&mut self, other: Self, most: usize) {
        self.lines += other.lines;
        self.positions += other.positions;
        self.seconds += other.seconds;
        for (reason, count) in other.ends {
            *self.ends.entry(reason).or_default() += count;
        }
        for (class, count) in other.differing {
            *self.differing.entry(class).or_default() += count;
        }
        for (class, texts) in other.shown {
            let shown = self.shown.entry(class).or_default();
            shown.extend(texts);
            shown.truncate(most);
        }
    }

    /// Positions that differ and that nobody has explained.
    pub(super) fn unexplained(&self) -> u64 {
        self.differing.get(UNEXPLAINED).copied().unwrap_or_default()
    }

    /// Counts a difference.
    fn count(&mut self, class: &'static str) {
        *self.differing.entry(class).or_default() += 1;
    }

    /// Shows a difference in full, if it is among the first of its class.
    fn show(&mut self, class: &'static str, text: String, most: usize) {
        let shown = self.shown.entry(class).or_default();
        if shown.len() < most {
            shown.push(text);
        }
    }
}

/// Compares the positions of a sample.
///
/// # Errors
/// The oracle fails.
pub(super) fn compare<S: Subject>(
    subject: &S,
    oracle: &mut Oracle,
    sample: Sample,
) -> anyhow::Result<Tally> {
    let began = Instant::now();
    let mut tally = Tally::default();
    let Sample { seed, shown, .. } = sample;
    for stream in sample.first.. {
        if tally.positions >= sample.positions {
            break;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let line = line(subject, &mut rng);
        compare_line(subject, oracle, &line, &mut tally, shown)
            .with_context(|| format!("line {stream} of seed {seed}"))?;
    }
    tally.seconds = began.elapsed().as_secs_f64();
    Ok(tally)
}

/// Compares every position of one line.
fn compare_line<S: Subject>(
    subject: &S,
    oracle: &mut Oracle,
    line: &Line<S::Position>,
    tally: &mut Tally,
    most_shown: usize,
) -> anyhow::Result<()> {
    let mut position = line.start.clone();
    let mut texts = Vec::new();
    let mut ours = vec![opinion(subject, &position)];
    for &mv in &line.moves {
        texts.push(subject.move_text(&position, mv));
        position.make(mv);
        ours.push(opinion(subject, &position));
    }
    let end = ours.last().and_then(|last| last.end);
    *tally.ends.entry(end.map_or("plies", |(_, reason)| reason.name())).or_default() += 1;
    tally.lines += 1;
    tally.positions += ours.len() as u64;

    let start = subject.fen(&line.start);
    let request = |verb: &str, moves: &[String]| {
        format!("{verb}\t{}\t{start}\t{}", subject.variant(), moves.join(" "))
    };
    let answer = match oracle.ask(&request("line", &texts))? {
        Answer::Given(answer) => answer,
        Answer::Refused(reason) => {
            tally.count(UNEXPLAINED);
            let request = request("line", &texts);
            tally.show(
                UNEXPLAINED,
                format!("the line is refused: {reason}\n  {request}"),
                most_shown,
            );
            return Ok(());
        }
    };
    let theirs = answer.split(' ').map(Theirs::parse).collect::<anyhow::Result<Vec<_>>>()?;
    ensure!(theirs.len() == ours.len(), "{} opinions on {} positions", theirs.len(), ours.len());

    let mut position = line.start.clone();
    let mut classes = BTreeSet::new();
    for ply in 0..ours.len() {
        let (ours, theirs) = (&ours[ply], &theirs[ply]);
        if let Some(difference) = theirs.differs_from(ours) {
            let case = Case { position: &position, difference, ours, theirs };
            let class = subject.explain(&case).unwrap_or(UNEXPLAINED);
            tally.count(class);
            if classes.insert(class) {
                let answer = oracle.ask(&request("last", &texts[..ply]))?;
                tally.show(class, show(subject, &case, &start, &texts[..ply], &answer), most_shown);
            }
        }
        if let Some(&mv) = line.moves.get(ply) {
            position.make(mv);
        }
    }
    Ok(())
}

/// What our rules say of a position.
fn opinion<S: Subject>(subject: &S, position: &S::Position) -> Ours {
    let (check, end) = (subject.check(position), subject.end(position));
    Ours { moves: checksum(legal(subject, position)), check, end }
}

/// The legal moves in the oracle's notation.
fn legal<S: Subject>(subject: &S, position: &S::Position) -> Vec<String> {
    let mut legal = MoveList::new();
    position.legal(&mut legal);
    legal.iter().map(|&mv| subject.move_text(position, mv)).collect()
}

/// A difference in full.
fn show<S: Subject>(
    subject: &S,
    case: &Case<'_, S::Position>,
    start: &str,
    moves: &[String],
    answer: &Answer,
) -> String {
    let what = match case.difference {
        Difference::Moves => "legal moves",
        Difference::Check => "check",
        Difference::Outcome => "verdict",
        Difference::Reason => "reason",
    };
    let ours = legal(subject, case.position).join(" ");
    let theirs = match answer {
        Answer::Given(text) => text.split_once('\t').map_or("", |(_, moves)| moves),
        Answer::Refused(reason) => reason,
    };
    let only = |these: &str, those: &str| {
        let those: Vec<&str> = those.split(' ').collect();
        these.split(' ').filter(|mv| !those.contains(mv)).collect::<Vec<_>>().join(" ")
    };
    format!(
        "{what} of {}\n  line: {start} moves {}\n  ours: {}, check {:?}, only here: {}\n  theirs: {}, check {:?}, only there: {}",
        subject.fen(case.position),
        moves.join(" "),
        case.ours.verdict(),
        case.ours.check,
        only(&ours, theirs),
        case.theirs.verdict(),
        case.theirs.check,
        only(theirs, &ours),
    )
}

#[cfg(test)]
mod tests {
    use super::super::xiangqi::FairyXiangqi;
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    const SAMPLE: Sample = Sample { seed: 1, first: 0, positions: 100, shown: 3 };

    /// An oracle that answers each request with what a command makes of it.
    fn oracle(script: &str) -> Oracle {
        let script = format!(
            "printf 'ready\\tmock 1\\n'; while IFS=\"$(printf '\\t')\" read -r verb variant fen moves; do {script}; done"
        );
        let mut command = Command::new("sh");
        let patience = Duration::from_secs(60);
        Oracle::start("mock", command.args(["-c", &script]), patience).unwrap()
    }

    #[test]
    fn each_position_that_differs_is_counted_and_one_of_a_line_is_shown() {
        // It says of every position that it has no moves.
        let deaf = "printf 'ok\\t00000000.-'; \
            if [ $verb = last ]; then printf '\\tz1z2'; else for mv in $moves; do printf ' 00000000.-'; done; fi; \
            echo";
        let tally = compare(&FairyXiangqi, &mut oracle(deaf), SAMPLE).unwrap();
        assert!(tally.positions >= 100);
        assert_eq!(tally.ends.values().sum::<u64>(), tally.lines);
        // A mate has indeed no moves.
        let mates = tally.ends.get("no_move").copied().unwrap_or_default();
        assert_eq!(tally.unexplained(), tally.positions, "{mates} mates differ by the verdict");
        let shown = &tally.shown[UNEXPLAINED];
        assert_eq!(shown.len() as u64, tally.lines.min(3));
        assert!(shown[0].starts_with("legal moves of "), "{}", shown[0]);
        assert!(shown[0].contains("only there: z1z2"), "{}", shown[0]);
    }

    #[test]
    fn a_refused_line_is_a_difference_and_a_wrong_count_an_error() {
        let refusing = "printf 'error\\tno\\n'";
        let tally = compare(&FairyXiangqi, &mut oracle(refusing), SAMPLE).unwrap();
        assert_eq!(tally.unexplained(), tally.lines);
        assert!(tally.shown[UNEXPLAINED][0].starts_with("the line is refused: no"));
        let brief = "printf 'ok\\t00000000.-\\n'";
        let error = compare(&FairyXiangqi, &mut oracle(brief), SAMPLE).unwrap_err();
        assert!(format!("{error:#}").contains("1 opinions on"), "{error:#}");
    }

    #[test]
    fn lines_are_a_function_of_seed_and_stream() {
        let texts = |stream| {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            rng.set_stream(stream);
            let line = line(&FairyXiangqi, &mut rng);
            (line.start.to_fen(), line.moves)
        };
        assert_eq!(texts(3), texts(3));
        assert_ne!(texts(3), texts(4));
    }
}
