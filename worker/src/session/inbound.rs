//! What the coordinator says, and what becomes of the connection.

use super::outbound::Connection;
use super::{Phase, Session};
use crate::contest::{Contest, Refused};
use crate::holdings::{LeaseKey, Settled};
use crate::link::LinkEvent;
use crate::spool::Line;
use crate::{WorkerError, convert};
use model::lease::WorkOrder;
use model::{LeaseId, Pairs, WorkerId, printable};
use proto::v1::work_response::Message;
use proto::v1::{self, AckOutcome, ReturnReason};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Leases beyond the wanted ones that a coordinator may press on a worker.
const SPARE_LEASES: usize = 8;

impl Session {
    pub(super) fn on_link(&mut self, event: LinkEvent, now: Instant) -> Result<(), WorkerError> {
        match event {
            LinkEvent::Opening { outbound, close } => {
                self.connection = Some(Connection::new(outbound, close, now));
                self.say_hello();
            }
            LinkEvent::Message(message) => self.on_message(*message, now),
            LinkEvent::Closed { reason, retry_in } => {
                self.connection = None;
                self.holdings.unanswered();
                if self.last_outage == reason {
                    tracing::debug!(%reason, ?retry_in, "still no coordinator");
                } else {
                    tracing::warn!(%reason, ?retry_in, "no coordinator; leases go on");
                }
                self.last_outage = reason;
            }
            LinkEvent::BadAddress(error) => return Err(WorkerError::Address(error)),
        }
        Ok(())
    }

    fn on_message(&mut self, message: Message, now: Instant) {
        match message {
            Message::Welcome(welcome) => self.on_welcome(&welcome, now),
            Message::Lease(lease) => self.on_lease(lease, now),
            Message::Ack(ack) => self.on_ack(&ack),
            Message::Cancel(cancel) => {
                let key = LeaseKey { lease: LeaseId(cancel.lease_id), epoch: cancel.epoch };
                if self.holdings.contains(key) {
                    let reason = convert::cancel_reason(cancel.reason);
                    tracing::info!(lease.id = key.lease.0, reason, "a lease was cancelled");
                    self.forget(key);
                }
            }
            Message::Drain(drain) => {
                tracing::info!(
                    reconnect_after_ms = drain.reconnect_after_ms,
                    "the coordinator is going away; leases go on"
                );
                self.holdings.hurry();
                if let Some(connection) = &mut self.connection {
                    connection.drain(now);
                }
            }
            Message::Idle(idle) => {
                let reason = convert::idle_reason(idle.reason);
                if self.last_idle != reason {
                    tracing::info!(reason, "nothing to play");
                }
                self.last_idle = reason;
                self.idle_reason = Some(reason);
            }
            Message::Busy(busy) => self.on_busy(&busy, now),
            // The connection minds them.
            Message::Coordinators(_) => {}
        }
    }

    fn on_welcome(&mut self, welcome: &v1::Welcome, now: Instant) {
        let Some(connection) = &mut self.connection else { return };
        connection.welcome(welcome, now);
        self.summary.sessions += 1;
        self.worker = Some(WorkerId(welcome.worker_id));
        self.idle_reason = None;
        self.last_outage.clear();
        tracing::info!(
            worker.id = welcome.worker_id,
            coordinator.version = printable(&welcome.coordinator_version, 40),
            held.leases = self.holdings.len(),
            "connected"
        );
    }

    fn on_lease(&mut self, lease: v1::Lease, now: Instant) {
        if let Some(connection) = &mut self.connection {
            connection.lease_arrived();
        }
        self.idle_reason = None;
        let key = LeaseKey { lease: LeaseId(lease.lease_id), epoch: lease.epoch };
        if self.holdings.contains(key) {
            return;
        }
        if self.phase != Phase::Running {
            self.return_lease(key, ReturnReason::Shutdown, "the worker is going away");
            return;
        }
        if let Some(rest) = self.rest {
            self.return_lease(key, ReturnReason::Shutdown, rest.text());
            return;
        }
        if self.disk_full.is_some() {
            self.return_lease(key, ReturnReason::Shutdown, super::DISK_FULL);
            return;
        }
        match self.check(lease, now) {
            Ok((order, contest)) => self.take(&order, contest, now),
            Err(Refused { reason, detail }) => {
                tracing::warn!(lease.id = key.lease.0, %detail, "a lease cannot be played");
                self.return_lease(key, reason, &detail);
            }
        }
    }

    /// Everything that can be known about a lease before it is played.
    fn check(
        &mut self,
        lease: v1::Lease,
        now: Instant,
    ) -> Result<(WorkOrder, Option<Arc<Contest>>), Refused> {
        let most = self.slots.count() as usize + SPARE_LEASES;
        if self.holdings.len() >= most {
            return Err(Refused::unplayable(format!("the worker holds {most} leases already")));
        }
        let order =
            convert::work_order(lease, self.settings.max_hash_kib).map_err(Refused::unplayable)?;
        for opening in &order.openings {
            arena::check_opening(order.game, &opening.position)
                .map_err(|error| Refused::unplayable(format!("pair {}: {error}", opening.index)))?;
        }
        let contest = self.contest(&order, now)?;
        Ok((order, contest))
    }

    fn take(&mut self, order: &WorkOrder, contest: Option<Arc<Contest>>, now: Instant) {
        let key = LeaseKey::of(order);
        if let Some(older) = self.holdings.older_epoch(key) {
            self.forget(older);
        }
        if let Err(error) = self.spool.create(self.bench(order.game), order) {
            self.distrust(key, &error);
            self.return_lease(key, ReturnReason::Shutdown, super::DISK_FULL);
            return;
        }
        tracing::debug!(
            lease.id = order.lease.0,
            run.id = order.run.0,
            asked.pairs = order.openings.len(),
            "a lease is taken"
        );
        if contest.is_none() {
            self.waiting.push(order.clone());
        }
        self.holdings.take(order, contest, now);
    }

    fn on_ack(&mut self, ack: &v1::Ack) {
        let key = LeaseKey { lease: LeaseId(ack.lease_id), epoch: ack.epoch };
        let detail = printable(&ack.detail, 200);
        self.steps.answered(key, ack.sequence, ack.outcome().as_str_name());
        match AckOutcome::try_from(ack.outcome) {
            Ok(AckOutcome::Merged | AckOutcome::Duplicate) => {
                if let Settled::Pairs(pairs) = self.holdings.acknowledge(key, ack.sequence) {
                    self.summary.accepted += Pairs(pairs.into());
                    self.write(key, &Line::Acked(ack.sequence));
                }
            }
            Ok(AckOutcome::Stale | AckOutcome::RunEnded | AckOutcome::Invalid) => {
                if self.holdings.contains(key) {
                    let outcome = ack.outcome().as_str_name();
                    tracing::warn!(lease.id = key.lease.0, outcome, %detail, "a report was refused");
                    self.forget(key);
                }
            }
            // Of a newer contract: the report is sent again, and answered in some way then.
            Ok(AckOutcome::Unspecified) | Err(_) => {
                tracing::warn!(lease.id = key.lease.0, outcome = ack.outcome, "an unknown answer");
            }
        }
    }

    fn on_busy(&mut self, busy: &v1::Busy, now: Instant) {
        let Some(connection) = &mut self.connection else { return };
        if connection.is_welcome() && busy.leases_only {
            let wait = Duration::from_millis(busy.retry_after_ms.clamp(10, 60_000).into());
            connection.want_later(now + wait);
        } else if connection.is_welcome() {
            let wait = Duration::from_millis(busy.retry_after_ms.clamp(10, 60_000).into());
            connection.hold_back(now + wait);
            self.holdings.unanswered();
        } else {
            // `Hello` cannot be said twice on one stream.
            self.hang_up();
        }
    }
}
