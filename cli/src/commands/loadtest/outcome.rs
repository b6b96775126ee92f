//! What a load test found, as a table and as JSON.

use super::tally::Times;
use crate::tables::{Column, number, table};
use serde::Serialize;

/// How soon a coordinator that was killed had a successor.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Rise {
    /// Until the new one served.
    pub(super) serving_s: f64,
    /// Until 95 % of the workers had a stream again.
    pub(super) most_back_s: f64,
}

/// The figures of a test. What the system does not tell, or another process has, is absent.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Outcome {
    pub(super) workers: u32,
    pub(super) seconds: f64,
    pub(super) game: &'static str,
    pub(super) plies_of_game: f64,
    pub(super) keep_moves: String,
    pub(super) lease_pairs: u32,
    pub(super) report_pairs: u32,
    pub(super) audits: String,
    pub(super) offered_reports_per_s: f64,
    pub(super) connected_s: f64,
    pub(super) leases_per_s: f64,
    pub(super) reports_per_s: f64,
    pub(super) heartbeats_per_s: f64,
    pub(super) join: Times,
    pub(super) lease: Times,
    pub(super) report: Times,
    /// Due in the measured time and without an answer at its end.
    pub(super) unanswered: u64,
    pub(super) refused: u64,
    pub(super) rss_kib_per_worker_connected: Option<f64>,
    pub(super) rss_kib_per_worker_loaded: Option<f64>,
    pub(super) coordinator_us_per_call: Option<f64>,
    pub(super) postgres_us_per_call: Option<f64>,
    pub(super) generator_us_per_call: Option<f64>,
    pub(super) ledger_bytes_per_game: Option<f64>,
    pub(super) moves_bytes_per_game: Option<f64>,
    pub(super) rise: Option<Rise>,
    pub(super) last_trouble: String,
}

impl Outcome {
    /// The same for people.
    pub(super) fn table(&self) -> String {
        let call = |name: &str, times: &Times| {
            let ms = [times.p50_ms, times.p99_ms, times.p999_ms, times.max_ms];
            let mut row = vec![name.to_owned(), times.calls.to_string()];
            row.extend(ms.map(|ms| format!("{ms:.1}")));
            row
        };
        let times = table(
            &[
                Column::Text("call"),
                Column::Number("answered"),
                Column::Number("p50 ms"),
                Column::Number("p99 ms"),
                Column::Number("p99.9 ms"),
                Column::Number("max ms"),
            ],
            &[call("join", &self.join), call("lease", &self.lease), call("report", &self.report)],
        );
        let mut rows = vec![
            ("workers connected", self.workers.to_string()),
            ("until all were, s", number(self.connected_s)),
            ("leases/s", format!("{:.0}", self.leases_per_s)),
            ("durable reports/s", format!("{:.0}", self.reports_per_s)),
            ("heartbeats/s", format!("{:.0}", self.heartbeats_per_s)),
            ("reports/s that were due", format!("{:.0}", self.offered_reports_per_s)),
            ("unanswered, refused", format!("{}, {}", self.unanswered, self.refused)),
        ];
        let mut add = |name: &'static str, value: Option<f64>| {
            rows.extend(value.map(|value| (name, format!("{value:.1}"))));
        };
        add("memory of a worker when connected, KiB", self.rss_kib_per_worker_connected);
        add("memory of a worker under load, KiB", self.rss_kib_per_worker_loaded);
        add("coordinator, CPU µs per call", self.coordinator_us_per_call);
        add("Postgres, CPU µs per call", self.postgres_us_per_call);
        add("generator, CPU µs per call", self.generator_us_per_call);
        // Bytes of a game are megabytes of a million.
        add("ledger without moves, MB per million games", self.ledger_bytes_per_game);
        add("moves, MB per million games", self.moves_bytes_per_game);
        add("serving after kill -9, s", self.rise.map(|rise| rise.serving_s));
        add("95 % of the workers back, s", self.rise.map(|rise| rise.most_back_s));
        let rows: Vec<Vec<String>> =
            rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        let title = format!(
            "{} games of {:.0} half-moves, moves kept: {}; pairs of a lease {}, of a report {}; \
             played again: {}; measured for {} s",
            self.game,
            self.plies_of_game,
            self.keep_moves,
            self.lease_pairs,
            self.report_pairs,
            self.audits,
            self.seconds
        );
        let figures = table(&[Column::Text("figure"), Column::Number("")], &rows);
        format!("{title}\n\n{times}\n\n{figures}")
    }
}
