//! What the worker says, when, and to whom.

use super::Session;
use crate::holdings::LeaseKey;
use crate::spool::Line;
use crate::{Status, convert};
use model::Pairs;
use proto::v1::work_request::Message;
use proto::v1::{self, ReturnReason};
use std::io;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Bounds on what a coordinator may ask for, in milliseconds.
const INTERVAL_MS: RangeInclusive<u32> = 50..=300_000;

/// How long a draining coordinator is still told what is finished.
const DRAINING: Duration = Duration::from_secs(5);

/// Longest detail of a returned lease, in characters.
const DETAIL_CHARS: usize = 480;

/// One stream to the coordinator.
pub(super) struct Connection {
    outbound: mpsc::Sender<v1::WorkRequest>,
    close: CancellationToken,
    welcome: bool,
    progress_interval: Duration,
    report_interval: Duration,
    progress_due: Instant,
    /// Leases that were wanted and have not arrived.
    awaited_leases: u32,
    /// Nothing but signs of life before this time.
    held_back_until: Option<Instant>,
    /// No wants before this time.
    wants_from: Option<Instant>,
    drain_until: Option<Instant>,
}

impl Connection {
    pub(super) fn new(
        outbound: mpsc::Sender<v1::WorkRequest>,
        close: CancellationToken,
        now: Instant,
    ) -> Self {
        Self {
            outbound,
            close,
            welcome: false,
            progress_interval: Duration::from_secs(5),
            report_interval: Duration::from_secs(5),
            progress_due: now,
            awaited_leases: 0,
            held_back_until: None,
            wants_from: None,
            drain_until: None,
        }
    }

    pub(super) fn is_welcome(&self) -> bool {
        self.welcome
    }

    pub(super) fn welcome(&mut self, welcome: &v1::Welcome, now: Instant) {
        let interval = |ms: u32| {
            Duration::from_millis(ms.clamp(*INTERVAL_MS.start(), *INTERVAL_MS.end()).into())
        };
        self.welcome = true;
        self.progress_interval = interval(welcome.progress_interval_ms);
        self.report_interval = interval(welcome.report_interval_ms);
        self.progress_due = now;
    }

    pub(super) fn lease_arrived(&mut self) {
        self.awaited_leases = self.awaited_leases.saturating_sub(1);
    }

    pub(super) fn hold_back(&mut self, until: Instant) {
        self.held_back_until = Some(until);
        self.awaited_leases = 0;
    }

    pub(super) fn want_later(&mut self, from: Instant) {
        self.wants_from = Some(from);
        self.awaited_leases = 0;
    }

    pub(super) fn drain(&mut self, now: Instant) {
        self.drain_until.get_or_insert(now + DRAINING);
    }

    fn is_held_back(&self, now: Instant) -> bool {
        self.held_back_until.is_some_and(|until| now < until)
    }
}

impl Session {
    pub(super) fn is_welcome(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::is_welcome)
    }

    /// Ends the stream; what was said before still goes out. Whether there was one.
    pub(super) fn hang_up(&mut self) -> bool {
        let Some(connection) = self.connection.take() else { return false };
        connection.close.cancel();
        self.holdings.unanswered();
        true
    }

    pub(super) fn say_hello(&mut self) {
        let arena =
            self.engines.offer(&self.settings.externals, self.settings.tablebases.as_deref());
        let hello = convert::hello(&self.settings, &self.offers, arena, self.holdings.keys());
        self.say(Message::Hello(hello));
    }

    /// Says everything that is due.
    pub(super) fn speak(&mut self, now: Instant) {
        let Some(connection) = self.connection.as_mut().filter(|c| c.welcome) else { return };
        if connection.progress_due <= now {
            connection.progress_due = now + connection.progress_interval;
            self.say_progress();
        }
        if self.connection.as_ref().is_none_or(|c| c.is_held_back(now)) {
            return;
        }
        self.begin_reports(now);
        while let Some((key, given_up)) = self.holdings.next_return() {
            if !self.return_lease(key, given_up.reason, &given_up.detail) {
                return;
            }
            self.summary.returned_leases += 1;
            self.forget(key);
        }
        self.say_wants(now);
        let drained = self.connection.as_ref().and_then(|c| c.drain_until);
        if drained.is_some_and(|until| now >= until || !self.holdings.is_delivering()) {
            self.hang_up();
        }
    }

    /// When there is next something to say without anything else happening.
    pub(super) fn next_word(&self, now: Instant) -> Option<Instant> {
        let connection = self.connection.as_ref().filter(|c| c.welcome)?;
        let report = self.holdings.next_due(connection.report_interval);
        let held_back = connection.held_back_until.filter(|until| now < *until);
        let report = match held_back {
            Some(until) => Some(until),
            None => report,
        };
        let want = connection.wants_from.filter(|from| now < *from);
        let due = [Some(connection.progress_due), report, want, connection.drain_until];
        due.into_iter().flatten().min()
    }

    /// Until the next report is due, in whole seconds.
    fn next_report(&self, now: Instant) -> Option<Duration> {
        let connection = self.connection.as_ref().filter(|c| c.welcome)?;
        let due = self.holdings.next_due(connection.report_interval)?;
        Some(Duration::from_secs(due.saturating_duration_since(now).as_secs()))
    }

    fn begin_reports(&mut self, now: Instant) {
        let Some(connection) = &self.connection else { return };
        let interval = connection.report_interval;
        while let Some((key, number)) = self.holdings.begin_report(now, interval) {
            self.write(key, &Line::Sent(number));
            match self.spool.file(key) {
                Some(file) => {
                    self.syncs.spawn_blocking(move || (key, file.sync_data()));
                }
                None => self.send_report(key, now),
            }
        }
    }

    /// The pairs of a report are on the disk, or will never be.
    pub(super) fn on_synced(&mut self, key: LeaseKey, result: io::Result<()>, now: Instant) {
        if let Err(error) = result {
            self.distrust(key, &error);
        }
        if self.is_welcome() {
            self.send_report(key, now);
        } else {
            self.holdings.put_off(key);
        }
    }

    fn send_report(&mut self, key: LeaseKey, now: Instant) {
        if let Some(report) = self.holdings.send_report(key, now) {
            self.steps.sent(key, report.sequence);
            self.say(Message::Report(convert::report(&report)));
        }
    }

    fn say_progress(&mut self) {
        let progress = v1::Progress {
            playing_games: self.slots.playing(),
            nodes_per_second: self.slots.nodes_per_second().0,
            spooled_pairs: self.holdings.unacked(),
        };
        self.say(Message::Progress(progress));
    }

    /// Wants what is missing, if the coordinator does not know that yet.
    fn say_wants(&mut self, now: Instant) {
        let wanted = match self.phase {
            super::Phase::Running if self.rest.is_some() || self.disk_full.is_some() => 0,
            super::Phase::Running => self.holdings.wanted(self.slots.count() as usize),
            super::Phase::Finishing(_) | super::Phase::Aborting(_) => 0,
        };
        let Some(connection) = &mut self.connection else { return };
        let wanted = if connection.drain_until.is_some() { 0 } else { wanted };
        if connection.wants_from.is_some_and(|from| now < from) {
            return;
        }
        if connection.awaited_leases != wanted {
            connection.awaited_leases = wanted;
            self.say(Message::Want(v1::Want { leases: wanted }));
        }
    }

    /// Gives a lease back; whether that could be said.
    pub(super) fn return_lease(
        &mut self,
        key: LeaseKey,
        reason: ReturnReason,
        detail: &str,
    ) -> bool {
        self.say(Message::ReturnLease(v1::ReturnLease {
            lease_id: key.lease.0,
            epoch: key.epoch,
            reason: reason.into(),
            detail: model::printable(detail, DETAIL_CHARS),
        }))
    }

    /// Whether the connection took the message. One that takes nothing is given up: everything is
    /// said again on the next.
    fn say(&mut self, message: Message) -> bool {
        let Some(connection) = &self.connection else { return false };
        let taken =
            connection.outbound.try_send(v1::WorkRequest { message: Some(message) }).is_ok();
        if !taken {
            self.hang_up();
        }
        taken
    }

    /// Brings a status line up to date.
    pub(super) fn tell_status(&mut self) {
        let Some(teller) = &self.settings.status else { return };
        let now = Instant::now();
        let playing = self.slots.playing();
        let idle_reason = if playing > 0 {
            None
        } else if self.disk_full.is_some() {
            Some(super::DISK_FULL.to_owned())
        } else if let Some(rest) = self.rest {
            Some(rest.text().to_owned())
        } else if self.connection.as_ref().is_none_or(|c| !c.welcome) {
            let why = if self.last_outage.is_empty() { "connecting" } else { &self.last_outage };
            Some(why.to_owned())
        } else {
            self.idle_reason.map(str::to_owned)
        };
        let status = Status {
            connected: self.is_welcome(),
            worker: self.worker,
            run: self.holdings.run(),
            pair: self.last_pair.filter(|_| playing > 0),
            playing,
            slots: self.slots.count(),
            games_per_minute: self.rate.per_minute(now),
            nodes_per_second: self.slots.nodes_per_second(),
            played: self.summary.played,
            accepted: self.summary.accepted,
            spooled: Pairs(self.holdings.unacked()),
            leases: self.holdings.len(),
            returned_leases: self.summary.returned_leases,
            sessions: self.summary.sessions,
            idle_reason,
            next_report: self.next_report(now),
            ending: self.phase != super::Phase::Running,
        };
        teller.send_if_modified(|shown| {
            let changed = *shown != status;
            *shown = status;
            changed
        });
    }
}
