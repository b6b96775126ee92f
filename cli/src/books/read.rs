//! The openings of a file in any form that is known: positions, or games of which the first half-moves
//! count. Every one that is none is told by its place; nothing is left out silently.

use games::{Game, MoveText, epd, pgn};
use games::{
    chess::Chess, othello, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi,
};
use model::{GameKind, printable};
use std::path::Path;

/// How openings stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A position a line, in the game's own notation or as EPD
    Epd,
    /// Games as PGN
    Pgn,
    /// Moves from the start a line, as after `position` in UCI and USI; in othello also unspaced
    Moves,
    /// Othello games of the Generic Game Format, one a line
    Ggf,
}

impl Format {
    /// What a file's name tells.
    pub(crate) fn of(path: &Path) -> Self {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("pgn") => Format::Pgn,
            Some("moves") => Format::Moves,
            Some("ggf") => Format::Ggf,
            _ => Format::Epd,
        }
    }

    /// What an opening is called in messages: they are counted by it.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Format::Pgn => "game",
            Format::Epd | Format::Moves | Format::Ggf => "line",
        }
    }
}

/// One opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpeningRead {
    /// Its place in the file, from 1: the line, or the game of a PGN file.
    pub(crate) place: usize,
    /// The position in the game's own notation.
    pub(crate) position: String,
    /// Equal for equal positions, whatever their counters.
    pub(crate) key: u64,
    /// Whether the side that moves first in the initial position is to move.
    pub(crate) first_to_move: bool,
    /// Half-moves from the initial position, as its counters or pieces tell.
    pub(crate) plies: u64,
}

/// Every opening of a text, or what is wrong with it, its place included. Of games the first `plies`
/// half-moves count, all of them if it is left out.
pub(crate) fn read(
    game: GameKind,
    text: &str,
    format: Format,
    plies: Option<usize>,
) -> Vec<Result<OpeningRead, String>> {
    let text = text.trim_start_matches('\u{feff}');
    let plies = plies.unwrap_or(usize::MAX);
    match game {
        GameKind::Othello => match format {
            Format::Moves => othello_lines(text, plies, |text| {
                let text = text.strip_prefix("startpos").unwrap_or(text).trim_start();
                othello::transcript::read(text.strip_prefix("moves").unwrap_or(text))
            }),
            Format::Ggf => {
                othello_lines(text, plies, |text| othello::ggf::read(text).map(|game| game.record))
            }
            Format::Epd | Format::Pgn => read_as::<Othello>(text, format, plies),
        },
        GameKind::Xiangqi => read_as::<Xiangqi>(text, format, plies),
        GameKind::Chess => read_as::<Chess>(text, format, plies),
        GameKind::Shogi => read_as::<Shogi>(text, format, plies),
        GameKind::TicTacToe => read_as::<TicTacToe>(text, format, plies),
    }
}

fn read_as<G: MoveText>(
    text: &str,
    format: Format,
    plies: usize,
) -> Vec<Result<OpeningRead, String>> {
    match format {
        Format::Epd => epd::records::<G>(text)
            .map(|record| {
                let record = record.map_err(|error| error.to_string())?;
                opening(record.position(), record.line())
                    .map_err(|error| format!("line {}: {error}", record.line()))
            })
            .collect(),
        Format::Pgn => (1..)
            .zip(pgn::games::<G>(text))
            .map(|(number, game)| {
                let game = game.map_err(|error| error.to_string())?;
                let mut position = game.start().clone();
                game.moves().iter().take(plies).for_each(|played| position.make(played.mv));
                opening(&position, number).map_err(|error| format!("game {number}: {error}"))
            })
            .collect(),
        Format::Moves => lines(text)
            .map(|(number, line)| {
                let position = after_moves::<G>(line, plies);
                let read = position.and_then(|position| opening(&position, number));
                read.map_err(|error| format!("line {number}: {error}"))
            })
            .collect(),
        Format::Ggf => {
            let what = format!("the format ggf holds games of othello, not of {}", G::KIND);
            vec![Err(format!("line 1: {what}; allowed: epd, pgn or moves"))]
        }
    }
}

fn othello_lines(
    text: &str,
    plies: usize,
    read: impl Fn(&str) -> Result<othello::Record, othello::RecordError>,
) -> Vec<Result<OpeningRead, String>> {
    lines(text)
        .map(|(number, line)| {
            let record = read(line).map_err(|error| format!("line {number}: {error}"))?;
            let mut position = record.start;
            record.moves.iter().take(plies).for_each(|&mv| position.make(mv));
            opening(&position, number).map_err(|error| format!("line {number}: {error}"))
        })
        .collect()
}

/// The lines of a text with their numbers, without those that are empty or a comment.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(text.lines().map(str::trim));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// `[position] [startpos | fen F | sfen F] [moves] m1 m2 …`
fn after_moves<G: MoveText>(line: &str, plies: usize) -> Result<G, String> {
    let line = line.strip_prefix("position ").unwrap_or(line).trim_start();
    let from = ["fen ", "sfen "].iter().find_map(|word| line.strip_prefix(word));
    let (mut position, moves) = match from {
        Some(rest) => {
            let (fen, moves) = rest.split_once(" moves ").unwrap_or((rest, ""));
            let fen = fen.trim().trim_end_matches(" moves");
            (G::from_fen(fen).map_err(|error| error.to_string())?, moves)
        }
        None => {
            let moves = line.strip_prefix("startpos").unwrap_or(line).trim_start();
            (G::start(), moves.strip_prefix("moves").unwrap_or(moves))
        }
    };
    for (place, text) in (1..).zip(moves.split_whitespace().take(plies)) {
        let mv = position.move_from_text(text).or_else(|error| {
            // Chess players write `Nf3`; what is said of a wrong text is what UCI says.
            position.read_move(text).map_err(|_| format!("half-move {place}: {error}"))
        })?;
        if let Some(over) = position.result() {
            return Err(format!("half-move {place}: the game is over ({})", over.reason.name()));
        }
        position.make(mv);
    }
    Ok(position)
}

/// A position from which a game can be played.
fn opening<G: Game>(position: &G, place: usize) -> Result<OpeningRead, String> {
    let text = position.to_fen();
    // The text is what is played from: it knows nothing of the moves before.
    let alone = G::from_fen(&text).map_err(|error| error.to_string())?;
    if let Some(over) = alone.result() {
        let found = printable(&text, 120);
        return Err(format!("`{found}` is over by rule ({})", over.reason.name()));
    }
    Ok(OpeningRead {
        place,
        key: alone.hash(),
        first_to_move: alone.first_to_move(),
        plies: plies_of(G::KIND, &text).unwrap_or(0),
        position: text,
    })
}

/// Half-moves from the initial position: by the counters of the text, or by the pieces where each
/// half-move adds one.
fn plies_of(game: GameKind, text: &str) -> Option<u64> {
    let mut fields = text.split(' ');
    let board = fields.next()?;
    let pieces = |letters: &str| board.chars().filter(|&c| letters.contains(c)).count() as u64;
    match game {
        GameKind::Chess | GameKind::Xiangqi => {
            let second = u64::from(fields.next()? == "b");
            let full: u64 = fields.next_back()?.parse().ok()?;
            Some(2 * full.saturating_sub(1) + second)
        }
        GameKind::Shogi => fields.nth(2)?.parse::<u64>().ok().map(|next| next.saturating_sub(1)),
        GameKind::Othello => pieces("XO").checked_sub(4),
        GameKind::TicTacToe => Some(pieces("xo")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(game: GameKind, text: &str, format: Format, plies: Option<usize>) -> Vec<String> {
        let read = read(game, text, format, plies);
        read.into_iter().map(|one| one.expect("an opening").position).collect()
    }

    #[test]
    fn every_form_gives_the_same_opening() {
        let fen = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let pgn = "[White \"a\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Nxe5 d6 1-0\n";
        for (text, format) in [
            (fen, Format::Epd),
            (&format!("{} hmvc 2; fmvn 3; id \"x\";", &fen[..fen.len() - 4]), Format::Epd),
            (pgn, Format::Pgn),
            ("startpos moves e2e4 e7e5 g1f3 g8f6 f3e5", Format::Moves),
            ("# moves\n\n position startpos moves e2e4 e7e5 g1f3 g8f6", Format::Moves),
            ("e4 e5 Nf3 Nf6", Format::Moves),
        ] {
            assert_eq!(positions(GameKind::Chess, text, format, Some(4)), [fen], "{text}");
        }
        let read = read(GameKind::Chess, fen, Format::Epd, None).remove(0).unwrap();
        assert_eq!((read.place, read.plies, read.first_to_move), (1, 4, true));
    }

    #[test]
    fn the_games_own_forms_are_read() {
        let start = "startpos moves 7g7f 3c3d";
        let sfen =
            "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2 moves 3c3d";
        let [one, other] =
            [start, sfen].map(|t| positions(GameKind::Shogi, t, Format::Moves, None));
        assert_eq!(one, other);
        let ggf = "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]\
                   B[F5//1.2]W[D6/0.5];)";
        for (text, format) in
            [("f5d6", Format::Moves), ("startpos moves f5 d6", Format::Moves), (ggf, Format::Ggf)]
        {
            let read = read(GameKind::Othello, text, format, None).remove(0).unwrap();
            assert_eq!((read.plies, read.first_to_move), (2, true), "{text}");
        }
        let xiangqi = positions(GameKind::Xiangqi, "h2e2 h9g7", Format::Moves, Some(1));
        assert_eq!(
            xiangqi,
            ["rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"]
        );
    }

    #[test]
    fn what_is_no_opening_is_told_with_its_place() {
        let over = "x../.../... o\n\nnonsense\nxxx/oo./... o\n";
        let found = read(GameKind::TicTacToe, over, Format::Epd, None);
        let errors: Vec<_> = found.into_iter().filter_map(Result::err).collect();
        assert!(
            errors[0].starts_with("line 3: ") && errors[1].starts_with("line 4: "),
            "{errors:?}"
        );
        for (game, text, format, part) in [
            (GameKind::Chess, "e2e4\ne2e4 e2e4", Format::Moves, "line 2: half-move 2: move `e2e4`"),
            (GameKind::Chess, "1. e4 e4 *", Format::Pgn, "game 1, line 1, column 7"),
            (GameKind::Chess, "f2f3 e7e5 g2g4 d8h4", Format::Moves, "is over by rule"),
            (GameKind::Othello, "f5f5", Format::Moves, "line 1: move at column 3"),
            (GameKind::Shogi, "x", Format::Ggf, "games of othello, not of shogi"),
        ] {
            let errors: Vec<_> =
                read(game, text, format, None).into_iter().filter_map(Result::err).collect();
            assert!(errors.len() == 1 && errors[0].contains(part), "{text}: {errors:?}");
        }
        let cut = read(GameKind::Chess, "f2f3 e7e5 g2g4 d8h4", Format::Moves, Some(3));
        assert!(cut[0].is_ok(), "{cut:?}");
    }
}
