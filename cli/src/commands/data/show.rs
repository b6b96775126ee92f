//! `elomill data list` and `elomill data stats`: what folders of games hold.

use super::folder::Folder;
use crate::output::{json, line};
use crate::tables::{Column, table};
use anyhow::Context;
use data::{Counts, positions};
use games::{Game as _, for_game};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `list` takes.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Where to look: a folder of games, or one with such folders in it
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

impl ListArgs {
    /// # Errors
    /// A folder cannot be read, or a manifest is none.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut folders = Vec::new();
        if Folder::is_one(&self.path) {
            folders.push(Folder::open(&self.path)?);
        } else {
            let context = || format!("cannot read {}", self.path.display());
            let mut paths = std::fs::read_dir(&self.path)
                .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
                .map(|paths: Vec<PathBuf>| paths)
                .with_context(context)?;
            paths.sort();
            for path in paths.iter().filter(|path| Folder::is_one(path)) {
                folders.push(Folder::open(path)?);
            }
        }
        let bytes = |folder: &Folder| -> u64 {
            folder.manifest.shards.iter().map(|shard| shard.bytes).sum()
        };
        if self.json {
            for folder in &folders {
                json(&serde_json::json!({
                    "folder": folder.path(),
                    "recipe": folder.manifest.recipe,
                    "shards": folder.manifest.shards.len(),
                    "bytes": bytes(folder),
                    "counts": folder.manifest.counts(),
                }))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let columns = [
            Column::Text("folder"),
            Column::Text("game"),
            Column::Number("games"),
            Column::Number("positions"),
            Column::Number("nodes"),
            Column::Number("seed"),
            Column::Number("MiB"),
        ];
        let row = |folder: &Folder| {
            let (recipe, counts) = (&folder.manifest.recipe, folder.manifest.counts());
            vec![
                folder.path().display().to_string(),
                recipe.game.to_string(),
                counts.games.to_string(),
                counts.positions.to_string(),
                recipe.nodes.to_string(),
                recipe.seed.to_string(),
                format!("{:.1}", bytes(folder) as f64 / f64::from(1 << 20)),
            ]
        };
        line(table(&columns, &folders.iter().map(row).collect::<Vec<_>>()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What `stats` takes.
#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// The folder
    path: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the games of a folder amount to.
#[derive(Debug, Default, serde::Serialize)]
struct Stats {
    counts: Counts,
    bytes: u64,
    /// Positions that an earlier shard has as well.
    repeated: u64,
    /// Games by the reason of their end.
    endings: BTreeMap<&'static str, u64>,
    /// Positions by their score from the side to move, in steps of so many centipawns: the lower end.
    scores: BTreeMap<i32, u64>,
}

/// Centipawns of a row of scores.
const STEP: i32 = 250;

impl StatsArgs {
    /// # Errors
    /// A file cannot be read or is none.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let folder = Folder::open(&self.path)?;
        let stats = gather(&folder)?;
        let recipe = &folder.manifest.recipe;
        if self.json {
            json(&serde_json::json!({ "recipe": recipe, "stats": stats }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let Counts { games, plies, positions, wins, draws, losses } = stats.counts;
        let of = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        line(format_args!("recipe     {}", serde_json::to_string(recipe)?))?;
        line(format_args!(
            "games      {games}: the first to move won {:.1} %, drew {:.1} %, lost {:.1} %",
            of(wins, games),
            of(draws, games),
            of(losses, games)
        ))?;
        line(format_args!(
            "positions  {positions}, {:.1} % of {plies} half-moves; {} are in an earlier shard as well",
            of(positions, plies),
            stats.repeated
        ))?;
        line(format_args!(
            "bytes      {}, {:.1} for each position",
            stats.bytes,
            stats.bytes as f64 / positions.max(1) as f64
        ))?;
        let columns = [Column::Text("end"), Column::Number("games"), Column::Number("%")];
        let row = |(reason, count): (&&str, &u64)| {
            vec![(*reason).to_owned(), count.to_string(), format!("{:.1}", of(*count, games))]
        };
        line("")?;
        line(table(&columns, &stats.endings.iter().map(row).collect::<Vec<_>>()))?;
        let columns =
            [Column::Number("score from"), Column::Number("positions"), Column::Number("%")];
        let row = |(score, count): (&i32, &u64)| {
            vec![score.to_string(), count.to_string(), format!("{:.1}", of(*count, positions))]
        };
        line("")?;
        line(table(&columns, &stats.scores.iter().map(row).collect::<Vec<_>>()))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn gather(folder: &Folder) -> anyhow::Result<Stats> {
    let mut stats = Stats::default();
    let mut seen = HashSet::new();
    for entry in &folder.manifest.shards {
        let shard = folder.read(entry)?;
        stats.counts += entry.counts;
        stats.bytes += entry.bytes;
        for game in &shard.games {
            *stats.endings.entry(game.ending.reason.name()).or_default() += 1;
            for_game!(folder.manifest.recipe.game, G => positions::<G>(game, |kept| {
                *stats.scores.entry(kept.score.0.div_euclid(STEP) * STEP).or_default() += 1;
                stats.repeated += u64::from(!seen.insert(kept.position.hash()));
            }))
            .with_context(|| file(folder.path(), &entry.sha256))?;
        }
    }
    Ok(stats)
}

fn file(folder: &Path, sha256: &str) -> String {
    folder.join(format!("{sha256}.shard")).display().to_string()
}
