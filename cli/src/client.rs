//! The coordinator, as this command talks to it: calls in the words of `model`.

mod engines;

use crate::convert::{
    HistoryRow, history_from_wire, pair_from_wire, run_from_wire, share_from_wire, spec_to_wire,
    worker_from_wire,
};
use crate::endpoint::{Locator, pages};
use crate::output::{hinted, printable_lines};
use model::spec::RunSpec;
use model::view::{PairView, RunView, ShareView, WorkerView};
use model::{Pairs, RunId};
use proto::v1::control_service_client::ControlServiceClient;
use proto::v1::engine_service_client::EngineServiceClient;
use proto::v1::key_service_client::KeyServiceClient;
use proto::v1::trust_service_client::TrustServiceClient;
use proto::{ConnectError, v1};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::hash::{BuildHasher, RandomState};
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};

/// An open connection.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    inner: ControlServiceClient<Channel>,
    keys: KeyServiceClient<Channel>,
    trust: TrustServiceClient<Channel>,
    engines: EngineServiceClient<Channel>,
    url: String,
}

/// What a replay of the ledger found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Replay {
    pub(crate) run: RunId,
    pub(crate) matches_stored: bool,
    pub(crate) reports: u64,
    pub(crate) state: serde_json::Value,
}

impl Control {
    /// Connects to where the locator points now.
    ///
    /// # Errors
    /// No coordinator is known, or none answers.
    pub(crate) async fn connect(locator: &Locator) -> anyhow::Result<Self> {
        let url = locator.url()?;
        let key = locator.key()?;
        let channel = proto::connect(&url, Some(&key)).await.map_err(not_connected)?;
        let keys = KeyServiceClient::new(channel.clone());
        let trust = TrustServiceClient::new(channel.clone())
            .max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
        let engines = EngineServiceClient::new(channel.clone())
            .max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
        let inner = ControlServiceClient::new(channel)
            .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
            .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
        Ok(Self { inner, keys, trust, engines, url })
    }

    /// What is asked about keys.
    pub(crate) fn keys(&mut self) -> &mut KeyServiceClient<Channel> {
        &mut self.keys
    }

    /// What is asked about whose results count.
    pub(crate) fn trust(&mut self) -> &mut TrustServiceClient<Channel> {
        &mut self.trust
    }

    /// The address of the pages.
    pub(crate) fn pages(&self) -> String {
        pages(&self.url)
    }

    /// The address of a run's live page.
    pub(crate) fn page(&self, run: RunId) -> String {
        page(&pages(&self.url), run)
    }

    /// Files a run with its book.
    pub(crate) async fn create(&mut self, spec: &RunSpec, book: &[u8]) -> anyhow::Result<RunId> {
        self.create_as(spec, book, fresh_key(&spec.name)).await
    }

    /// Files a run with its book, unless there is one of this key.
    pub(crate) async fn create_as(
        &mut self,
        spec: &RunSpec,
        book: &[u8],
        idempotency_key: String,
    ) -> anyhow::Result<RunId> {
        let request = v1::CreateRunRequest {
            spec: Some(spec_to_wire(spec)),
            book: book.to_vec().into(),
            idempotency_key,
        };
        // The same key again: an answer lost on the way does not file the run twice.
        let answer = match self.inner.create_run(request.clone()).await {
            Err(status) if status.code() == Code::Unavailable => {
                self.inner.create_run(request).await
            }
            other => other,
        };
        Ok(RunId(answer.map_err(explain)?.into_inner().run_id))
    }

    /// The newest runs first, at most `limit`.
    pub(crate) async fn runs(&mut self, limit: u32) -> anyhow::Result<Vec<RunView>> {
        let answer = self.inner.list_runs(v1::ListRunsRequest { limit }).await.map_err(explain)?;
        let runs = answer.into_inner().runs.into_iter();
        Ok(runs.map(run_from_wire).collect::<Result<_, _>>()?)
    }

    /// One run with its curves.
    pub(crate) async fn run(&mut self, run: RunId) -> anyhow::Result<RunView> {
        let request = v1::GetRunRequest { run_id: run.0 };
        let answer = self.inner.get_run(request).await.map_err(explain)?.into_inner();
        let run = answer.run.ok_or_else(|| anyhow::anyhow!("the coordinator's answer is empty"))?;
        Ok(run_from_wire(run)?)
    }

    /// Stops leasing.
    pub(crate) async fn pause(&mut self, run: RunId, reason: String) -> anyhow::Result<()> {
        let request = v1::PauseRunRequest { run_id: run.0, reason };
        self.inner.pause_run(request).await.map_err(explain)?;
        Ok(())
    }

    /// Leases again.
    pub(crate) async fn resume(&mut self, run: RunId) -> anyhow::Result<()> {
        let request = v1::ResumeRunRequest { run_id: run.0 };
        self.inner.resume_run(request).await.map_err(explain)?;
        Ok(())
    }

    /// Ends a run by hand.
    pub(crate) async fn stop(&mut self, run: RunId, reason: String) -> anyhow::Result<()> {
        let request = v1::StopRunRequest { run_id: run.0, reason };
        self.inner.stop_run(request).await.map_err(explain)?;
        Ok(())
    }

    /// Files a tune that begins with the state of another one: its id, and the pairs in the state.
    pub(crate) async fn fork(
        &mut self,
        run: RunId,
        at: Pairs,
        pairs: Pairs,
        seed: u64,
    ) -> anyhow::Result<(RunId, Pairs)> {
        let request = v1::ForkRunRequest {
            run_id: run.0,
            at_pairs: at.0,
            pairs: pairs.0,
            seed,
            idempotency_key: fresh_key(&format!("fork of {run}")),
        };
        // As in create.
        let answer = match self.inner.fork_run(request.clone()).await {
            Err(status) if status.code() == Code::Unavailable => self.inner.fork_run(request).await,
            other => other,
        };
        let answer = answer.map_err(explain)?.into_inner();
        Ok((RunId(answer.run_id), Pairs(answer.at_pairs)))
    }

    /// Raises the budget of a run to this many pairs in all.
    pub(crate) async fn extend(&mut self, run: RunId, asked: Pairs) -> anyhow::Result<()> {
        let request = v1::ExtendRunRequest { run_id: run.0, asked_pairs: asked.0 };
        self.inner.extend_run(request).await.map_err(explain)?;
        Ok(())
    }

    /// Sets the share of a run against the others.
    pub(crate) async fn weigh(&mut self, run: RunId, weight: f64) -> anyhow::Result<()> {
        let request = v1::WeighRunRequest { run_id: run.0, weight };
        self.inner.weigh_run(request).await.map_err(explain)?;
        Ok(())
    }

    /// Hands out a run after each of its reports.
    pub(crate) async fn export(
        &mut self,
        run: RunId,
        mut each: impl FnMut(HistoryRow) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let request = v1::ExportRunRequest { run_id: run.0 };
        let mut stream = self.inner.export_run(request).await.map_err(explain)?.into_inner();
        while let Some(message) = stream.message().await.map_err(explain)? {
            for row in message.rows {
                each(history_from_wire(row)?)?;
            }
        }
        Ok(())
    }

    /// Hands out the pairs of a run with their games from one on, at most so many; 0 is all.
    pub(crate) async fn games(
        &mut self,
        run: RunId,
        first_pair: u64,
        pairs: u64,
        mut each: impl FnMut(PairView) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let request = v1::ExportGamesRequest { run_id: run.0, first_pair, pairs };
        let mut stream = self.inner.export_games(request).await.map_err(explain)?.into_inner();
        while let Some(message) = stream.message().await.map_err(explain)? {
            for pair in message.pairs {
                each(pair_from_wire(pair)?)?;
            }
        }
        Ok(())
    }

    /// Why an open run gets the work that it gets.
    pub(crate) async fn explain_run(&mut self, run: RunId) -> anyhow::Result<ShareView> {
        let request = v1::ExplainRunRequest { run_id: run.0 };
        let answer = self.inner.explain_run(request).await.map_err(explain)?.into_inner();
        let share = answer.share.ok_or_else(|| anyhow::anyhow!("the answer is empty"))?;
        Ok(share_from_wire(share)?)
    }

    /// Recomputes a run from its ledger.
    pub(crate) async fn replay(&mut self, run: RunId) -> anyhow::Result<Replay> {
        let request = v1::ReplayRunRequest { run_id: run.0 };
        let answer = self.inner.replay_run(request).await.map_err(explain)?.into_inner();
        Ok(Replay {
            run,
            matches_stored: answer.matches_stored,
            reports: answer.reports,
            state: serde_json::from_str(&answer.state_json)?,
        })
    }

    /// Every worker that was ever seen.
    pub(crate) async fn workers(&mut self) -> anyhow::Result<Vec<WorkerView>> {
        let answer = self.inner.list_workers(v1::ListWorkersRequest {}).await.map_err(explain)?;
        Ok(answer.into_inner().workers.into_iter().map(worker_from_wire).collect())
    }

    /// The run now and at every change, until it ends.
    ///
    /// # Errors
    /// The status itself: the caller tells a lost connection from a refusal.
    pub(crate) async fn watch(
        &mut self,
        run: RunId,
    ) -> Result<Streaming<v1::WatchRunResponse>, Status> {
        let request = v1::WatchRunRequest { run_id: run.0 };
        Ok(self.inner.watch_run(request).await?.into_inner())
    }
}

/// The address of a run's live page below the coordinator's own.
pub(crate) fn page(url: &str, run: RunId) -> String {
    format!("{}/runs/{run}", url.trim_end_matches('/'))
}

/// Why there is no connection, with what to do about it.
fn not_connected(error: ConnectError) -> anyhow::Error {
    match error {
        ConnectError::Unreachable { .. } => {
            hinted(error, "start one with `elomill up`, or name another with --coordinator")
        }
        ConnectError::Refused { origin, source } => hinted(
            format_args!("the server at {origin} is not believed: {source}"),
            "`elomill up` prints the address with the right fingerprint",
        ),
        ConnectError::Address(_) => error.into(),
    }
}

/// A refusal in words, with what to do about it.
pub(crate) fn explain(status: Status) -> anyhow::Error {
    let message = printable_lines(status.message());
    let hint = match status.code() {
        Code::Unauthenticated => {
            "run this where the coordinator runs, with its --data-dir, or log in with \
             `elomill login LINK`"
        }
        Code::PermissionDenied => "an admin gives roles: `elomill invite --role ROLE`",
        Code::NotFound => "`elomill runs list` shows what there is",
        Code::Unavailable => "the coordinator went away; start it again with `elomill up`",
        Code::Unimplemented => "use the same version of elomill on both sides",
        // Findings carry their own hints.
        _ if message.contains("hint:") => return anyhow::anyhow!(message),
        Code::InvalidArgument | Code::FailedPrecondition => {
            "`elomill runs show ID` says where the run stands"
        }
        _ => "the coordinator's log says more; it stands in the folder logs of its data folder",
    };
    let message = if message.is_empty() { status.code().description().to_owned() } else { message };
    hinted(message, hint)
}

/// A key that no other request has: random by the hasher's seed, and bound to what is asked.
pub(crate) fn fresh_key(what: &str) -> String {
    let mut hash = Sha256::new();
    for salt in 0..4_u64 {
        hash.update(RandomState::new().hash_one(salt).to_le_bytes());
    }
    hash.update(std::process::id().to_le_bytes());
    hash.update(what.as_bytes());
    crate::books::hex(&hash.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_loses_its_control_characters_and_gains_a_hint() {
        let status = Status::not_found("no run \u{1b}[2J7");
        let text = explain(status).to_string();
        assert!(text.starts_with("no run ·[2J7\nhint: `elomill runs list`"), "{text}");
        let findings = "line 3, `a`: found 1; allowed: 2\n  hint: write 2";
        assert_eq!(explain(Status::invalid_argument(findings)).to_string(), findings);
    }
}
