//! The connection: dials, hands messages through, waits, dials again; it never gives up.
//!
//! A refused call is no reason to end either: the coordinator may be restarting, or be a version
//! that is about to be replaced.

use crate::backoff::{Backoff, random_share};
use crate::places::Places;
use keys::SecretKey;
use proto::v1::work_response::Message;
use proto::v1::worker_service_client::WorkerServiceClient;
use proto::{ConnectError, v1};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Code;

/// Messages on their way out. The session writes a few at a time; a connection that lets so many
/// pile up takes nothing any more.
const OUTBOUND: usize = 256;

/// How long a coordinator may take to close a stream that this side has closed.
const CLOSING: Duration = Duration::from_secs(1);

/// The longest wait that a coordinator can impose.
const MAX_DRAIN: Duration = Duration::from_secs(600);

/// The longest span over which a coordinator can spread those who come back.
const MAX_SPREAD: Duration = Duration::from_secs(120);

/// The shortest wait after the coordinator has refused the key; the longest is twice that.
const UNWELCOME: Duration = Duration::from_secs(30);

/// What the session hears from the connection, in this order: opening, messages, closed.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    /// A stream is being opened; the first message through `outbound` must be `Hello`. The session
    /// ends it by dropping `outbound` and cancelling `close`.
    Opening { outbound: mpsc::Sender<v1::WorkRequest>, close: CancellationToken },
    /// The coordinator said something.
    Message(Box<Message>),
    /// No connection, for this reason; the next attempt comes after the wait.
    Closed { reason: String, retry_in: Duration },
    /// The address is none, for ever.
    BadAddress(ConnectError),
}

/// How one attempt ended.
struct Ended {
    reason: String,
    /// The coordinator asked to be left alone for so long.
    drained: Option<Duration>,
    /// The session had begun, and the coordinator wants those who lose theirs to come back within so
    /// long.
    spread: Option<Duration>,
    /// The coordinator will not have this key.
    unwelcome: bool,
}

/// Keeps the connection until the session stops listening.
pub(crate) async fn run(
    mut places: Places,
    key: SecretKey,
    mut backoff: Backoff,
    events: mpsc::Sender<LinkEvent>,
) {
    loop {
        let ended = match attempt(&mut places, &key, &mut backoff, &events).await {
            Ok(ended) => ended,
            Err(error) => {
                // Nobody listens: the session is over, and so is this.
                let _ = events.send(LinkEvent::BadAddress(error)).await;
                return;
            }
        };
        // A coordinator that stands by turns everybody away until it leads.
        places.move_on();
        let retry_in = match (ended.drained, ended.spread) {
            (Some(wait), _) => wait + wait.mul_f64(random_share()),
            (None, Some(spread)) => spread.mul_f64(random_share()),
            (None, None) if ended.unwelcome => UNWELCOME + UNWELCOME.mul_f64(random_share()),
            (None, None) => backoff.next(random_share()),
        };
        let closed = LinkEvent::Closed { reason: ended.reason, retry_in };
        if events.send(closed).await.is_err() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(retry_in) => {}
            () = events.closed() => return,
        }
    }
}

/// One connection from dialling to its end.
async fn attempt(
    places: &mut Places,
    key: &SecretKey,
    backoff: &mut Backoff,
    events: &mpsc::Sender<LinkEvent>,
) -> Result<Ended, ConnectError> {
    let ended =
        |reason: String| Ok(Ended { reason, drained: None, spread: None, unwelcome: false });
    let channel = match proto::connect(places.current(), Some(key)).await {
        Ok(channel) => channel,
        Err(error @ ConnectError::Address { .. }) => return Err(error),
        Err(ConnectError::Refused { source, .. }) => return ended(source.to_string()),
        Err(error) => return ended(error.to_string()),
    };
    let mut client = WorkerServiceClient::new(channel)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
    let (outbound, requests) = mpsc::channel(OUTBOUND);
    let close = CancellationToken::new();
    if events.send(LinkEvent::Opening { outbound, close: close.clone() }).await.is_err() {
        return ended("the worker ends".to_owned());
    }
    let mut drained = None;
    let mut spread = None;
    let mut unwelcome = false;
    let talk = async {
        let mut stream = match client.work(ReceiverStream::new(requests)).await {
            Ok(response) => response.into_inner(),
            Err(status) => {
                unwelcome = matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied);
                return refusal(&status);
            }
        };
        loop {
            let message = match stream.message().await {
                Ok(Some(v1::WorkResponse { message: Some(message) })) => message,
                // Of a newer contract: not for this version.
                Ok(Some(v1::WorkResponse { message: None })) => continue,
                Ok(None) => return "the coordinator closed the stream".to_owned(),
                Err(status) => return refusal(&status),
            };
            match &message {
                Message::Welcome(welcome) => {
                    backoff.reset();
                    places.learn(&welcome.coordinators);
                    let within = Duration::from_millis(welcome.reconnect_within_ms.into());
                    spread = Some(within.min(MAX_SPREAD)).filter(|within| !within.is_zero());
                }
                Message::Coordinators(all) => places.learn(&all.addresses),
                Message::Drain(drain) => {
                    let wait = Duration::from_millis(drain.reconnect_after_ms.into());
                    drained = Some(wait.min(MAX_DRAIN));
                }
                _ => {}
            }
            if events.send(LinkEvent::Message(Box::new(message))).await.is_err() {
                return "the worker ends".to_owned();
            }
        }
    };
    let closed = async {
        close.cancelled().await;
        tokio::time::sleep(CLOSING).await;
    };
    let reason = tokio::select! {
        reason = talk => reason,
        () = closed => "closed by this worker".to_owned(),
    };
    Ok(Ended { reason, drained, spread, unwelcome })
}

fn refusal(status: &tonic::Status) -> String {
    let message = model::printable(status.message(), 200);
    format!("{}: {message}", status.code().description())
}
