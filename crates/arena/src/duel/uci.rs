//! A conversation in UCI, UCCI or USI: which texts go out when.

use super::lines::first_word;
use super::notation::{self, Notation};
use super::options::{OptionKind, Options};
use super::session::{Start, StartError};
use super::speech::{self, Heard, Insight};
use super::{Clock, Program, Protocol, SideLimit};
use games::MoveText;
use model::{GameKind, printable};

/// A text to send, and the line to wait for after it.
pub(super) type Part = (String, Option<&'static str>);

/// What is known of the program and of the game that it plays.
pub(super) struct Uci {
    pub(super) name: String,
    pub(super) protocol: Protocol,
    notation: Notation,
    pub(super) options: Options,
    /// `position …` with every move so far.
    position: String,
    has_moves: bool,
    /// What `UCI_Chess960` was set to last.
    is_chess960: bool,
}

impl Uci {
    /// Greets the program, reads its options and sets them.
    pub(super) fn introduce(
        start: &mut Start<'_>,
        program: &Program,
        game: GameKind,
        limit: &SideLimit,
    ) -> Result<Self, StartError> {
        let protocol = program.protocol;
        let (hello, end) = speech::hello(protocol);
        start.say(hello)?;
        let (mut name, mut options) = (String::new(), Options::default());
        start.listen(end, &mut || None, &mut |word, rest| {
            match word {
                b"id" => {
                    if let (b"name", rest) = first_word(rest) {
                        name = printable(&String::from_utf8_lossy(rest), 100);
                    }
                }
                b"option" => options.declare(protocol, rest),
                _ => return word == end.as_bytes(),
            }
            false
        })?;
        let mut wanted = variant(start, protocol, game, &options)?;
        wanted.extend(unit_of_time(start, protocol, limit, &options)?);
        if protocol == Protocol::Usi && limit.clock.is_some_and(|clock| clock.moves.is_some()) {
            return Err(start.unable("speaks usi, which knows no moves to a time control"));
        }
        start.set_own(&options, wanted, program)?;
        let notation = Notation::of(game, protocol, program.ranks, &name);
        Ok(Self {
            name,
            protocol,
            notation,
            options,
            position: String::new(),
            has_moves: false,
            is_chess960: false,
        })
    }

    /// The texts that begin a game.
    pub(super) fn new_game<G: MoveText>(&mut self, opening: &G) -> Result<Vec<Part>, String> {
        self.position.clear();
        self.position.push_str(&notation::position(self.protocol, opening));
        self.has_moves = false;
        let mut first = String::new();
        let is_chess960 = G::KIND == GameKind::Chess && opening.variant().is_some();
        if is_chess960 != self.is_chess960 {
            let value = if is_chess960 { "true" } else { "false" };
            first = self
                .options
                .line(self.protocol, "UCI_Chess960", value)
                .map_err(|_| "does not play Chess960, and the opening is one of it".to_owned())?;
            self.is_chess960 = is_chess960;
        }
        Ok(match self.protocol {
            Protocol::Usi => {
                vec![(first + "isready\n", Some("readyok")), ("usinewgame\n".to_owned(), None)]
            }
            // `isready` is not among what a program of UCCI must know.
            Protocol::Ucci if self.options.find("newgame").is_some() => {
                vec![("setoption newgame\n".to_owned(), None)]
            }
            Protocol::Ucci => Vec::new(),
            Protocol::Uci | Protocol::Xboard => {
                vec![(first + "ucinewgame\nisready\n", Some("readyok"))]
            }
        })
    }

    pub(super) fn note<G: MoveText>(&mut self, before: &G, mv: G::Move) {
        self.position.push_str(if self.has_moves { " " } else { " moves " });
        self.has_moves = true;
        self.position.push_str(&self.notation.write(before, mv));
    }

    pub(super) fn order(&self, order: &mut String, clocks: &[Clock; 2], first_to_move: bool) {
        order.push_str(&self.position);
        order.push('\n');
        order.push_str(&speech::go(self.protocol, &clocks[0], &clocks[1], first_to_move));
    }

    pub(super) fn hear(&self, line: &[u8], insight: &mut Insight) -> Heard {
        speech::hear(self.protocol, line, insight)
    }

    pub(super) fn read<G: MoveText>(&self, position: &G, text: &str) -> Option<G::Move> {
        self.notation.read(position, text)
    }

    pub(super) fn game_over(&self, half_points: u8) -> Option<String> {
        let result = match half_points {
            2 => "win",
            1 => "draw",
            _ => "lose",
        };
        (self.protocol == Protocol::Usi).then(|| format!("gameover {result}\n"))
    }
}

/// The setting that chooses the game, where the program lets it be chosen.
fn variant(
    start: &Start<'_>,
    protocol: Protocol,
    game: GameKind,
    options: &Options,
) -> Result<Vec<(String, String)>, StartError> {
    if protocol != Protocol::Uci {
        return Ok(Vec::new());
    }
    match options.find("UCI_Variant").map(|option| &option.kind) {
        Some(OptionKind::Combo(choices)) if choices.iter().any(|choice| choice == game.name()) => {
            Ok(vec![("UCI_Variant".to_owned(), game.name().to_owned())])
        }
        Some(_) => Err(start.unable(format!("does not offer {game} in its option UCI_Variant"))),
        // Most programs play one game and do not say which.
        None => Ok(Vec::new()),
    }
}

/// UCCI counts in seconds unless it is told otherwise.
fn unit_of_time(
    start: &Start<'_>,
    protocol: Protocol,
    limit: &SideLimit,
    options: &Options,
) -> Result<Option<(String, String)>, StartError> {
    if protocol != Protocol::Ucci {
        return Ok(None);
    }
    let is_timed = limit.clock.is_some() || limit.movetime.is_some();
    match options.find("usemillisec") {
        Some(_) => Ok(Some(("usemillisec".to_owned(), "true".to_owned()))),
        None if is_timed => Err(start.unable(
            "counts in whole seconds (it has no option usemillisec); limit it by nodes or depth",
        )),
        None => Ok(None),
    }
}
