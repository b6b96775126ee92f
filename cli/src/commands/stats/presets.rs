//! `elomill stats presets`: bounds of a sequential test by the maturity of a project.

use crate::output::{json, line};
use crate::tables::{Column, number, table};
use serde::Serialize;
use stats::{PRESETS, Preset};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Chance to accept at elo0
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Chance to reject at elo1; 0.2 gains more Elo from the same games
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// One preset with what it costs and gains; all Elo normalised.
#[derive(Serialize)]
struct Figures {
    name: &'static str,
    elo0: f64,
    elo1: f64,
    change_mean: f64,
    change_deviation: f64,
    change_price: f64,
    mean_pairs_at_elo0: f64,
    mean_pairs_between: f64,
    elo_per_million_games: f64,
}

impl Args {
    /// # Errors
    /// The error rates are none.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let rows: Vec<Figures> = PRESETS
            .iter()
            .map(|preset| figures(preset, self.alpha, self.beta))
            .collect::<anyhow::Result<_>>()?;
        if self.json {
            return rows.iter().try_for_each(json);
        }
        let columns = [
            Column::Text("project"),
            Column::Number("elo0"),
            Column::Number("elo1"),
            Column::Text("its changes"),
            Column::Number("games at elo0"),
            Column::Number("between"),
            Column::Number("Elo per million games"),
        ];
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                vec![
                    row.name.to_owned(),
                    number(row.elo0),
                    number(row.elo1),
                    format!(
                        "{} ± {}, price {}",
                        number(row.change_mean),
                        number(row.change_deviation),
                        number(row.change_price)
                    ),
                    format!("{:.0}", 2.0 * row.mean_pairs_at_elo0),
                    format!("{:.0}", 2.0 * row.mean_pairs_between),
                    format!("{:.2}", row.elo_per_million_games),
                ]
            })
            .collect();
        Ok(line(table(&columns, &cells))?)
    }
}

fn figures(preset: &Preset, alpha: f64, beta: f64) -> anyhow::Result<Figures> {
    let spec = super::checked(preset.spec(alpha, beta))?;
    // The noise of a pair does not enter normalised bounds.
    let mean_pairs = |elo: f64| stats::forecast(&spec, elo, 0.18).mean_pairs;
    Ok(Figures {
        name: preset.name,
        elo0: preset.elo0,
        elo1: preset.elo1,
        change_mean: preset.prior.mean,
        change_deviation: preset.prior.deviation,
        change_price: preset.prior.price,
        mean_pairs_at_elo0: mean_pairs(preset.elo0),
        mean_pairs_between: mean_pairs(0.5 * (preset.elo0 + preset.elo1)),
        elo_per_million_games: stats::gain_per_million_games(&spec, &preset.prior),
    })
}
