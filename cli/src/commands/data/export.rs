//! `elomill data export`: the positions of a folder as text, a line for each: what the side to move got out
//! of the game, the score of the search for it in centipawns, the half-move of the game, the position.

use super::folder::Folder;
use anyhow::Context;
use data::{Position, positions};
use games::for_game;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder
    path: PathBuf,
    /// At most so many positions
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// A file cannot be read or is none, or the lines cannot be written.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let folder = Folder::open(&self.path)?;
        let mut left = self.limit.unwrap_or(u64::MAX);
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut text = String::new();
        for entry in &folder.manifest.shards {
            for game in &folder.read(entry)?.games {
                if left == 0 {
                    break;
                }
                for_game!(folder.manifest.recipe.game, G => positions::<G>(game, |kept| {
                    if left > 0 {
                        left -= 1;
                        self.write(&kept, &mut text);
                    }
                }))
                .with_context(|| format!("{}", self.path.display()))?;
                out.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    fn write<G: games::Game>(&self, kept: &Position<'_, G>, text: &mut String) {
        let Position { position, score, result, ply } = kept;
        let fen = position.to_fen();
        let line = if self.json {
            let value = serde_json::json!({
                "result": result, "score": score, "ply": ply, "position": fen,
            });
            value.to_string()
        } else {
            format!("{result} {} {ply} {fen}", score.0)
        };
        text.push_str(&line);
        text.push('\n');
    }
}
