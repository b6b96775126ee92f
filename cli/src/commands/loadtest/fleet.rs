//! The workers of a load test: each a connection and a stream of its own, with a key of its own, that
//! asks for leases and reports a prepared pair whenever one is due.

use super::script::Script;
use super::tally::{Call, Tally};
use keys::SecretKey;
use model::Tally as Score;
use proto::v1::key_service_client::KeyServiceClient;
use proto::v1::work_request::Message as Request;
use proto::v1::work_response::Message as Response;
use proto::v1::worker_service_client::WorkerServiceClient;
use proto::v1::{self, WorkRequest};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

/// Connections that are opened at the same time.
const DIALLING: usize = 48;
/// Messages that may wait in a stream.
const OUTBOUND: usize = 16;
/// As a worker does, whatever the coordinator asks for at most.
const PROGRESS: Duration = Duration::from_secs(5);
/// Reports that may be under way for one worker.
const PIPELINE: usize = 4;

/// What all workers share.
pub(super) struct Orders {
    pub(super) url: String,
    pub(super) token: proto::Bytes,
    pub(super) script: Script,
    pub(super) workers: usize,
    /// Between two reports of one worker.
    pub(super) interval: Duration,
    /// Pairs of a report.
    pub(super) report_pairs: usize,
    pub(super) tally: Arc<Tally>,
    /// From now on nothing new is due.
    pub(super) rest: CancellationToken,
    pub(super) stop: CancellationToken,
    dialling: Semaphore,
}

impl Orders {
    pub(super) fn new(
        url: String,
        token: proto::Bytes,
        script: Script,
        workers: usize,
        interval: Duration,
        report_pairs: usize,
        tally: Arc<Tally>,
    ) -> Self {
        let (rest, stop) = (CancellationToken::new(), CancellationToken::new());
        let dialling = Semaphore::new(DIALLING);
        Self { url, token, script, workers, interval, report_pairs, tally, rest, stop, dialling }
    }
}

/// A lease being reported.
struct Held {
    lease: v1::Lease,
    sent: usize,
    acked: usize,
}

struct Worker {
    orders: Arc<Orders>,
    number: usize,
    leases: VecDeque<Held>,
    /// When a lease was wanted that has not come.
    wanted: Option<Instant>,
    /// It was put off, and is to be wanted again then; the time still counts from when it was wanted.
    want_again: Option<Instant>,
    /// Reports that are due and not sent: there is no lease, or too many are under way.
    due: VecDeque<Instant>,
    /// Reports that are sent and not answered: lease, number, when they were due.
    sent: VecDeque<(i64, u32, Instant)>,
    next: tokio::time::Instant,
    /// Over which time the coordinator wants workers back that were cut off together.
    back_within: Duration,
}

/// Lives as one worker until told to stop.
pub(super) async fn live(orders: Arc<Orders>, number: usize) {
    let stop = orders.stop.clone();
    tokio::select! {
        () = stop.cancelled() => {}
        () = work(orders, number) => {}
    }
}

async fn work(orders: Arc<Orders>, number: usize) {
    let mut seed = [0x10; 32];
    seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
    let key = SecretKey::from_seed(seed);
    let mut worker = Worker {
        orders: Arc::clone(&orders),
        number,
        leases: VecDeque::new(),
        wanted: None,
        want_again: None,
        due: VecDeque::new(),
        sent: VecDeque::new(),
        next: tokio::time::Instant::now(),
        back_within: Duration::ZERO,
    };
    let mut channel = None;
    loop {
        let why = match attempt(&mut worker, &key, &mut channel).await {
            Ok(()) => "the coordinator closed the stream".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        orders.tally.trouble(&why);
        // Spread evenly by the number, which is as good as by chance.
        let share = (number * 7919 % orders.workers.max(1)) as f64 / orders.workers.max(1) as f64;
        tokio::time::sleep(worker.back_within.mul_f64(share)).await;
    }
}

/// One stream from dialling to its end.
async fn attempt(
    worker: &mut Worker,
    key: &SecretKey,
    channel: &mut Option<Channel>,
) -> anyhow::Result<()> {
    let orders = Arc::clone(&worker.orders);
    let seat = orders.dialling.acquire().await?;
    let began = Instant::now();
    let open = match channel {
        Some(open) => open.clone(),
        None => {
            let open = proto::connect(&orders.url, Some(key)).await?;
            let label = format!("load test {}", worker.number);
            let request = v1::RedeemRequest { token: orders.token.clone(), label };
            KeyServiceClient::new(open.clone()).redeem(request).await?;
            channel.insert(open).clone()
        }
    };
    let (outbound, requests) = mpsc::channel(OUTBOUND);
    let held = worker
        .leases
        .iter()
        .map(|held| v1::LeaseRef { lease_id: held.lease.lease_id, epoch: held.lease.epoch });
    let hello = orders.script.hello(worker.number, held.collect());
    outbound.send(WorkRequest { message: Some(Request::Hello(hello)) }).await?;
    let mut stream =
        WorkerServiceClient::new(open).work(ReceiverStream::new(requests)).await?.into_inner();
    let welcome = stream.message().await?.and_then(|response| response.message);
    let Some(Response::Welcome(welcome)) = welcome else {
        anyhow::bail!("a welcome was expected");
    };
    worker.back_within = Duration::from_millis(welcome.reconnect_within_ms.into());
    orders.tally.answered(Call::Join, began);
    drop(seat);
    orders.tally.connected(1);
    let ended = worker.talk(&outbound, &mut stream).await;
    orders.tally.connected(-1);
    ended
}

impl Worker {
    async fn talk(
        &mut self,
        outbound: &mpsc::Sender<WorkRequest>,
        stream: &mut tonic::Streaming<v1::WorkResponse>,
    ) -> anyhow::Result<()> {
        // What was under way is said again.
        for (_, _, due) in self.sent.drain(..).rev() {
            self.due.push_front(due);
        }
        for held in &mut self.leases {
            held.sent = held.acked;
        }
        (self.wanted, self.want_again) = (None, None);
        let now = tokio::time::Instant::now();
        // All at once would be a wave that no fleet makes: each begins at a place of its own.
        let share = self.number as f64 / self.orders.workers.max(1) as f64;
        self.next = self.next.max(now + self.orders.interval.mul_f64(share));
        let mut progress = tokio::time::interval_at(now + PROGRESS.mul_f64(share), PROGRESS);
        let rest = self.orders.rest.clone();
        loop {
            self.speak(outbound).await?;
            tokio::select! {
                () = tokio::time::sleep_until(self.next), if !rest.is_cancelled() => {
                    let due = self.next.into_std();
                    self.orders.tally.due(Call::Report, due);
                    self.due.push_back(due);
                    self.next += self.orders.interval;
                }
                _ = progress.tick() => {
                    let said = v1::Progress { playing_games: 1, nodes_per_second: 1_000_000, spooled_pairs: 0 };
                    outbound.send(WorkRequest { message: Some(Request::Progress(said)) }).await?;
                    self.orders.tally.progress_said();
                }
                message = stream.message() => {
                    let Some(message) = message? else { return Ok(()) };
                    self.hear(message.message);
                }
            }
        }
    }

    /// Says everything that can be said now.
    async fn speak(&mut self, outbound: &mpsc::Sender<WorkRequest>) -> anyhow::Result<()> {
        while let Some(due) = self.due.front().copied() {
            if self.sent.len() >= PIPELINE {
                break;
            }
            let Some(held) = self.leases.iter_mut().find(|h| h.sent < h.lease.openings.len())
            else {
                break;
            };
            let report = report(&self.orders.script, held, self.orders.report_pairs)?;
            held.sent += report.pairs.len();
            self.sent.push_back((report.lease_id, report.sequence, due));
            self.due.pop_front();
            outbound.send(WorkRequest { message: Some(Request::Report(report)) }).await?;
        }
        let left: usize = self.leases.iter().map(|h| h.lease.openings.len() - h.sent).sum();
        let half = self.leases.front().map_or(1, |h| h.lease.openings.len().div_ceil(2));
        if self.wanted.is_none() && left <= half && !self.orders.rest.is_cancelled() {
            let now = Instant::now();
            self.wanted = Some(now);
            self.orders.tally.due(Call::Lease, now);
            self.want_again = Some(now);
        }
        if self.want_again.is_some_and(|at| at <= Instant::now()) {
            self.want_again = None;
            let want = v1::Want { leases: 1 };
            outbound.send(WorkRequest { message: Some(Request::Want(want)) }).await?;
        }
        Ok(())
    }

    fn hear(&mut self, message: Option<Response>) {
        match message {
            Some(Response::Lease(lease)) => {
                if let Some(wanted) = self.wanted.take() {
                    self.orders.tally.answered(Call::Lease, wanted);
                }
                self.leases.push_back(Held { lease, sent: 0, acked: 0 });
            }
            Some(Response::Ack(ack)) => self.on_ack(&ack),
            Some(Response::Cancel(cancel)) => self.forget(cancel.lease_id),
            Some(Response::Busy(busy)) => {
                let wait = Duration::from_millis(busy.retry_after_ms.into());
                self.want_again = Some(Instant::now() + wait);
            }
            _ => {}
        }
    }

    fn on_ack(&mut self, ack: &v1::Ack) {
        let found = self
            .sent
            .iter()
            .position(|(lease, sequence, _)| (*lease, *sequence) == (ack.lease_id, ack.sequence));
        let Some((_, _, due)) = found.and_then(|place| self.sent.remove(place)) else { return };
        match ack.outcome() {
            v1::AckOutcome::Merged | v1::AckOutcome::Duplicate => {
                self.orders.tally.answered(Call::Report, due);
                let held = self.leases.iter_mut().find(|h| h.lease.lease_id == ack.lease_id);
                let Some(held) = held else { return };
                held.acked = held.acked.max(ack.sequence as usize);
                if held.acked == held.lease.openings.len() {
                    self.forget(ack.lease_id);
                }
            }
            other => {
                self.orders.tally.refused(&format!("{}: {}", other.as_str_name(), ack.detail));
                self.due.push_back(due);
                self.forget(ack.lease_id);
            }
        }
    }

    fn forget(&mut self, lease: i64) {
        self.leases.retain(|held| held.lease.lease_id != lease);
    }
}

/// The next pairs of a lease, at most so many.
fn report(script: &Script, held: &Held, pairs: usize) -> anyhow::Result<v1::Report> {
    let until = held.lease.openings.len().min(held.sent + pairs);
    let mut score = Score::default();
    let mut reported = Vec::with_capacity(pairs);
    for (place, opening) in held.lease.openings[..until].iter().enumerate() {
        let scene = script.scene(&opening.position).ok_or_else(|| {
            anyhow::anyhow!("the coordinator leases an opening that is not in the book")
        })?;
        score.add(scene.outcome);
        if place >= held.sent {
            let mut pair = scene.pair.clone();
            pair.pair_index = opening.pair_index;
            reported.push(pair);
        }
    }
    Ok(v1::Report {
        lease_id: held.lease.lease_id,
        epoch: held.lease.epoch,
        // Grows with each report, and says what is answered for.
        sequence: u32::try_from(until)?,
        cumulative: Some(worker::wire::tally(&score)),
        pairs: reported,
    })
}
