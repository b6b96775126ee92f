//! What must hold of any text that a stranger hands to a parser of this crate: it is refused with the
//! field, what was found and what is allowed, or it is read, comes back the same after writing, and can
//! be played on. A text that breaks a claim panics. The tests try mutations of good texts, the fuzz
//! targets in `fuzz/` whatever they find.

use games::epd::{self, Record};
use games::othello::{self, Othello, RecordError, ggf, obf, transcript};
use games::pgn::{self, Pgn};
use games::{FenError, Game, MoveError, MoveList, MoveText};

/// An error says something, in few words that a terminal can show.
fn told(field: &str, found: &str, allowed: &str) {
    for part in [field, found, allowed] {
        assert!(!part.is_empty(), "{field}: {found}; {allowed}");
        assert!(part.chars().count() <= 600, "{part}");
        assert!(!part.contains(|c: char| c.is_control()), "{part:?}");
    }
}

fn told_move(error: &MoveError) {
    told(error.problem, &error.found, &error.allowed);
}

/// A position text.
pub fn position<G: MoveText>(text: &str) {
    match G::from_fen(text) {
        Err(FenError { field, found, allowed }) => told(field, &found, &allowed),
        Ok(position) => playable(position),
    }
}

/// The text of a position and everything that its text holds come back.
fn rereadable<G: Game>(position: &G) {
    let text = position.to_fen();
    let again = G::from_fen(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(again.to_fen(), text);
    assert_eq!(again.hash(), position.hash(), "{text}");
    assert_eq!(again.first_to_move(), position.first_to_move(), "{text}");
    assert_eq!(again.in_check(), position.in_check(), "{text}");
}

/// A position can be written, and every legal move has a text of its own and can be made and unmade.
fn playable<G: MoveText>(mut position: G) {
    rereadable(&position);
    let before = (position.to_fen(), position.hash());
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    assert_eq!(moves.len() as u64, position.count_legal(), "{}", before.0);
    let _ = position.result();
    for &mv in moves.iter() {
        let text = position.move_to_text(mv);
        assert_eq!(position.move_from_text(&text), Ok(mv), "{} {text}", before.0);
        let text = position.write_move(mv);
        assert_eq!(position.read_move(&text), Ok(mv), "{} {text}", before.0);
        position.make(mv);
        rereadable(&position);
        let _ = position.result();
        position.unmake();
        assert_eq!((position.to_fen(), position.hash()), before);
    }
}

/// Moves divided by blanks, played from a position as far as they are legal.
pub fn moves<G: MoveText>(start: &G, text: &str) {
    let mut position = start.clone();
    for word in text.split_whitespace().take(200) {
        let by_protocol = position.move_from_text(word);
        let by_file = position.read_move(word);
        for error in [&by_protocol, &by_file].into_iter().filter_map(|read| read.as_ref().err()) {
            told_move(error);
        }
        let Ok(mv) = by_file.or(by_protocol) else { continue };
        assert!(position.is_pseudo_legal(mv) && position.is_legal(mv), "{word}");
        position.make(mv);
    }
    rereadable(&position);
}

/// An EPD file.
pub fn epd<G: MoveText>(text: &str) {
    for record in epd::records::<G>(text) {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                assert!(error.line > 0);
                told(&error.field, &error.found, &error.allowed);
                continue;
            }
        };
        let line = record.to_string();
        let again = Record::<G>::from_line(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(again.to_string(), line);
        assert!(again.operations().eq(record.operations()), "{line}");
        assert_eq!(again.position().to_fen(), record.position().to_fen());
        for (opcode, _) in record.operations() {
            if let Err(error) = record.moves(opcode).and(record.line_of_play(opcode)) {
                told(&error.field, &error.found, &error.allowed);
            }
        }
    }
}

/// A PGN file.
pub fn pgn<G: MoveText>(text: &str) {
    let mut count = 0;
    for game in pgn::games::<G>(text) {
        count += 1;
        let game: Pgn<G> = match game {
            Ok(game) => game,
            Err(error) => {
                assert_eq!(error.game, count);
                assert!(error.line > 0 && error.column > 0);
                told(&error.field, &error.found, &error.allowed);
                continue;
            }
        };
        let written = game.to_string();
        let mut all = pgn::games::<G>(&written);
        let again = match all.next() {
            Some(Ok(again)) => again,
            Some(Err(error)) => panic!("{error}\n{written}"),
            None => panic!("no game in {written}"),
        };
        assert!(all.next().is_none(), "{written}");
        assert_eq!(again.to_string(), written);
        assert_eq!(again.moves(), game.moves());
        assert_eq!(again.outcome(), game.outcome());
        assert_eq!(again.position().to_fen(), game.position().to_fen());
    }
}

fn told_record(error: &RecordError) {
    assert!(error.column > 0);
    told(error.field, &error.found, &error.allowed);
}

/// Every move of a game is legal where it stands.
fn replay(record: &othello::Record) {
    let mut position = record.start.clone();
    for mv in &record.moves {
        let text = position.move_to_text(*mv);
        assert_eq!(position.move_from_text(&text), Ok(*mv));
        position.make(*mv);
    }
    rereadable::<Othello>(&position);
}

/// A game of othello in GGF.
pub fn ggf(text: &str) {
    match ggf::read(text) {
        Err(error) => told_record(&error),
        Ok(game) => replay(&game.record),
    }
}

/// A line of an othello board file.
pub fn obf(text: &str) {
    match obf::read(text) {
        Err(error) => told_record(&error),
        Ok(problem) => {
            for (mv, score) in &problem.scores {
                assert!(problem.position.is_pseudo_legal(*mv) && score.abs() <= 64);
            }
            playable(problem.position);
        }
    }
}

/// A transcript of a game of othello.
pub fn transcript(text: &str) {
    match transcript::read(text) {
        Err(error) => told_record(&error),
        Ok(record) => {
            replay(&record);
            let again = transcript::read(&transcript::write(&record.moves));
            let again = again.expect("written by ourselves").moves;
            // A pass at the end is not written.
            assert_eq!(again[..], record.moves[..again.len()]);
            assert!(record.moves.len() - again.len() <= 1);
        }
    }
}
