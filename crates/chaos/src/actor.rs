//! Puppets that behave as workers may at their worst: they repeat reports, vanish after one without
//! waiting for its answer, forget what they hold, fall silent beyond their lease and report late.

use crate::history::{Event, History};
use anyhow::Context;
use proto::v1::work_request::Message as Said;
use proto::v1::work_response::Message as Heard;
use proto::v1::{self, AckOutcome};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::sync::Arc;
use std::time::Duration;
use testkit::{Puppet, specs};
use tokio_util::sync::CancellationToken;

/// Longest wait before the next attempt to connect.
const PAUSE_MS: u64 = 400;
/// A silence that is longer than a lease may be silent.
const SULK: Duration = Duration::from_secs(4);
/// How long an answer may take before the actor gives its session up.
const ANSWER_WITHIN: Duration = Duration::from_secs(8);

/// A lease as the actor remembers it.
struct Held {
    lease: v1::Lease,
    /// Pairs whose report was answered.
    acked: usize,
}

/// One actor.
pub(crate) struct Actor {
    name: String,
    number: u8,
    /// Addresses of the coordinators, through their proxies.
    places: Vec<String>,
    history: Arc<History>,
    rng: ChaCha8Rng,
    held: Vec<Held>,
    /// From now on it takes no more and hands in what it has.
    finish: CancellationToken,
}

impl Actor {
    pub(crate) fn new(
        number: u8,
        places: Vec<String>,
        history: Arc<History>,
        seed: u64,
        finish: CancellationToken,
    ) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed ^ (u64::from(number) << 32));
        Self {
            name: format!("puppet {number}"),
            number,
            places,
            history,
            rng,
            held: Vec::new(),
            finish,
        }
    }

    /// Lives until it has nothing more to hand in after it was told to finish.
    pub(crate) async fn live(mut self) -> anyhow::Result<()> {
        let mut place = usize::from(self.number);
        loop {
            let url = self.places[place % self.places.len()].clone();
            match self.session(&url).await {
                Ok(()) => return Ok(()),
                Err(Trouble::Broken) => {}
                Err(Trouble::Fatal(error)) => return Err(error),
            }
            place += 1;
            let pause = self.rng.random_range(0..PAUSE_MS);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// One session: to its end, by whatever end, or to that of the actor.
    async fn session(&mut self, url: &str) -> Result<(), Trouble> {
        if self.rng.random_bool(0.1) && !self.finish.is_cancelled() {
            // As a machine that was set up anew under its old key.
            self.held.clear();
        }
        let held: Vec<_> = self
            .held
            .iter()
            .map(|held| v1::LeaseRef { lease_id: held.lease.lease_id, epoch: held.lease.epoch })
            .collect();
        let mut hello = specs::hello(self.number);
        hello.held_leases = held;
        let joined = tokio::time::timeout(ANSWER_WITHIN, Puppet::join_as(url, self.number, hello));
        let Ok(Ok(mut puppet)) = joined.await else { return Err(Trouble::Broken) };
        loop {
            let Some(place) = self.held.iter().position(|h| h.acked < h.lease.openings.len())
            else {
                self.held.clear();
                if self.finish.is_cancelled() {
                    return Ok(());
                }
                self.take(&mut puppet).await?;
                continue;
            };
            self.play(&mut puppet, place).await?;
        }
    }

    /// Asks for a lease and waits for it.
    async fn take(&mut self, puppet: &mut Puppet) -> Result<(), Trouble> {
        puppet.want(1).await.map_err(|_| Trouble::Broken)?;
        loop {
            let heard = tokio::select! {
                heard = puppet.hear() => heard.map_err(|_| Trouble::Broken)?,
                () = self.finish.cancelled() => return Ok(()),
            };
            match heard {
                Heard::Lease(lease) => {
                    let pairs = lease.openings.iter().map(|o| o.pair_index).collect();
                    self.note(Event::Leased {
                        lease: lease.lease_id,
                        epoch: lease.epoch,
                        run: lease.run_id,
                        pairs,
                    })?;
                    self.held.push(Held { lease, acked: 0 });
                    return Ok(());
                }
                Heard::Drain(_) => return Err(Trouble::Broken),
                Heard::Cancel(cancel) => self.forget(cancel.lease_id),
                _ => {}
            }
        }
    }

    /// Reports some more of a lease, in one of the ways of this actor.
    async fn play(&mut self, puppet: &mut Puppet, place: usize) -> Result<(), Trouble> {
        let mood = self.rng.random_range(0..100_u32);
        let held = &self.held[place];
        let (lease, epoch) = (held.lease.lease_id, held.lease.epoch);
        let size = held.lease.openings.len();
        if mood < 2 && !self.finish.is_cancelled() {
            self.note(Event::Returned { lease, epoch })?;
            let back = v1::ReturnLease {
                lease_id: lease,
                epoch,
                reason: v1::ReturnReason::Shutdown.into(),
                detail: "a whim".to_owned(),
            };
            puppet.say(Said::ReturnLease(back)).await.map_err(|_| Trouble::Broken)?;
            self.forget(lease);
            return Ok(());
        }
        if (2..4).contains(&mood) {
            tokio::time::sleep(SULK).await;
        }
        let finished = self.rng.random_range(held.acked + 1..=size);
        let report = specs::report(&held.lease, finished, held.acked, specs::outcome);
        let pairs = report.pairs.iter().map(|pair| pair.pair_index).collect();
        let sequence = report.sequence;
        self.note(Event::Reported { lease, epoch, sequence, pairs })?;
        puppet.say(Said::Report(report.clone())).await.map_err(|_| Trouble::Broken)?;
        if (4..8).contains(&mood) {
            // The answer is lost: the same is said again in the next session.
            return Err(Trouble::Broken);
        }
        if (8..14).contains(&mood) {
            puppet.say(Said::Report(report)).await.map_err(|_| Trouble::Broken)?;
        }
        self.answer(puppet, lease, epoch, sequence).await
    }

    /// Waits for what became of a report.
    async fn answer(
        &mut self,
        puppet: &mut Puppet,
        lease: i64,
        epoch: u32,
        sequence: u32,
    ) -> Result<(), Trouble> {
        loop {
            let heard = tokio::time::timeout(ANSWER_WITHIN, puppet.hear()).await;
            let Ok(Ok(heard)) = heard else { return Err(Trouble::Broken) };
            match heard {
                Heard::Ack(ack) => {
                    let outcome = ack.outcome();
                    self.note(Event::Acked {
                        lease: ack.lease_id,
                        epoch: ack.epoch,
                        sequence: ack.sequence,
                        outcome: outcome.as_str_name().to_owned(),
                    })?;
                    if (ack.lease_id, ack.epoch, ack.sequence) != (lease, epoch, sequence) {
                        continue;
                    }
                    match outcome {
                        AckOutcome::Merged | AckOutcome::Duplicate => {
                            let held = self.held.iter_mut().find(|h| h.lease.lease_id == lease);
                            if let Some(held) = held {
                                held.acked = held.acked.max(sequence as usize);
                            }
                        }
                        _ => self.forget(lease),
                    }
                    return Ok(());
                }
                Heard::Cancel(cancel) => {
                    self.forget(cancel.lease_id);
                    if cancel.lease_id == lease {
                        return Ok(());
                    }
                }
                Heard::Lease(lease) => {
                    // Wanted before, and late.
                    let pairs = lease.openings.iter().map(|o| o.pair_index).collect();
                    let (id, epoch, run) = (lease.lease_id, lease.epoch, lease.run_id);
                    self.note(Event::Leased { lease: id, epoch, run, pairs })?;
                    self.held.push(Held { lease, acked: 0 });
                }
                _ => {}
            }
        }
    }

    fn forget(&mut self, lease: i64) {
        self.held.retain(|held| held.lease.lease_id != lease);
    }

    fn note(&self, event: Event) -> Result<(), Trouble> {
        let noted = self.history.note(&self.name, event);
        noted.context("the history cannot be written").map_err(Trouble::Fatal)
    }
}

/// Why a session ended.
enum Trouble {
    /// As faults end it.
    Broken,
    /// The test itself cannot go on.
    Fatal(anyhow::Error),
}
