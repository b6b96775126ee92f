//! Every game of a run, in a stream: bounded memory, however many there are.

use crate::convert;
use crate::core::chain;
use crate::records::{RecordError, Records};
use proto::v1;
use tokio::sync::mpsc;
use tonic::Status;

/// Sends the records page by page, at most `pairs` pairs, until they end or nobody listens.
pub(super) async fn send(
    mut records: Records,
    mut pairs: u64,
    out: &mpsc::Sender<Result<v1::ExportGamesResponse, Status>>,
) {
    while pairs > 0 {
        let page = match records.page(pairs).await {
            Ok(page) => page,
            Err(error) => {
                // Whoever asked may be gone by now.
                let _ = out.send(Err(failed(&error))).await;
                return;
            }
        };
        if page.is_empty() {
            return;
        }
        pairs -= page.len() as u64;
        let pairs = page.iter().map(convert::wire_pair).collect();
        if out.send(Ok(v1::ExportGamesResponse { pairs })).await.is_err() {
            return;
        }
    }
}

/// What failed inside stays inside; the log has it whole.
pub(super) fn failed(error: &RecordError) -> Status {
    tracing::warn!(error = %chain(error), "games cannot be read");
    match error {
        RecordError::Store(_) | RecordError::Book(_) => {
            Status::unavailable("the ledger does not answer; try again")
        }
        RecordError::Moves { .. } | RecordError::Panicked => Status::internal(error.to_string()),
    }
}
