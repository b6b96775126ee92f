//! From a game's name to its type.

/// Runs an expression for the type of a game: `for_game!(kind, G => G::start().to_fen())`.
#[macro_export]
macro_rules! for_game {
    ($kind:expr, $G:ident => $body:expr) => {
        match $kind {
            ::model::GameKind::Xiangqi => {
                type $G = $crate::xiangqi::Xiangqi;
                $body
            }
            ::model::GameKind::Chess => {
                type $G = $crate::chess::Chess;
                $body
            }
            ::model::GameKind::Shogi => {
                type $G = $crate::shogi::Shogi;
                $body
            }
            ::model::GameKind::Othello => {
                type $G = $crate::othello::Othello;
                $body
            }
            ::model::GameKind::TicTacToe => {
                type $G = $crate::tictactoe::TicTacToe;
                $body
            }
        }
    };
}
