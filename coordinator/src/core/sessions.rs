//! Workers that come, speak, are spoken to and go.

use super::handle::{Acknowledged, Line, Outbound, Said, Session};
use super::{Answer, Core, unix_ms};
use crate::convert::Hello;
use crate::dispatch::scheduler::Merge;
use crate::views::LiveWorker;
use keys::PublicKey;
use model::WorkerId;
use model::lease::Report;
use model::view::RunState;
use std::time::Instant;
use store::{NewWorker, StoreError};

impl Core {
    /// Opens a session. It is told so once the worker is written down.
    pub(super) fn join(&mut self, hello: Hello, line: Line) -> Session {
        let key = hello.key.as_bytes().to_vec();
        let worker = match self.keys.get(&key) {
            Some(known) => *known,
            None => {
                self.last_worker.0 += 1;
                self.keys.insert(key.clone(), self.last_worker);
                self.last_worker
            }
        };
        // Who comes twice before it is written down is written down as it came last.
        self.greeted.retain(|greeted| greeted.id != worker);
        self.greeted.push(NewWorker {
            id: worker,
            key,
            name: hello.name.clone(),
            platform: hello.platform,
            software_version: hello.software_version,
            cores: hello.cores,
            slots: hello.slots,
        });
        self.next_session += 1;
        let session = Session { worker, number: self.next_session };
        // An older session of the same worker ends here: its line is dropped.
        self.sessions.insert(worker, (session.number, line));
        self.live.insert(worker, LiveWorker::default());
        self.metrics.session_opened();
        self.traces.met(worker, &hello.key);
        let now = self.now();
        self.scheduler.know_owner(worker, &hello.owner);
        self.scheduler.join(worker, hello.offer, &hello.held, now);
        tracing::info!(worker.id = worker.0, worker.name = %hello.name, "worker joined");
        session
    }

    pub(super) async fn said(
        &mut self,
        session: Session,
        said: Said,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        let (worker, now, came) = (session.worker, self.now(), Instant::now());
        match said {
            Said::Want(leases) => self.scheduler.want(worker, leases, now),
            Said::Progress { playing_games, nodes_per_second } => {
                self.scheduler.heard(worker, now);
                self.scheduler.played_at(worker, nodes_per_second, playing_games);
                self.live.insert(worker, LiveWorker { playing_games, nodes_per_second });
            }
            Said::Return { lease, epoch, why } => {
                self.scheduler.give_back(worker, lease, epoch, &why);
            }
            Said::Report(judged) => {
                let merge = self.scheduler.report(worker, &judged, now, unix_ms());
                let report = &judged.report;
                let outcome = match merge {
                    Merge::Merged => Acknowledged::Merged,
                    Merge::Duplicate => Acknowledged::Duplicate,
                    Merge::Invalid(why) => {
                        tracing::warn!(
                            worker.id = worker.0, lease.id = report.lease.0, reason = %why,
                            "report refused"
                        );
                        Acknowledged::Invalid(why)
                    }
                    Merge::NotOut => self.how_it_ended(worker, report).await?,
                };
                let (lease, epoch, sequence) = (report.lease, report.epoch, report.sequence);
                let ack = Outbound::Ack { lease, epoch, sequence, outcome };
                answers.push(Answer::Ack(session, ack, came));
            }
        }
        Ok(())
    }

    /// What to say of a report whose lease is not out: the ledger knows how it ended.
    async fn how_it_ended(
        &self,
        worker: WorkerId,
        report: &Report,
    ) -> Result<Acknowledged, StoreError> {
        let Some(lease) = self.ledger.lease(report.lease).await? else {
            // A check that was given to another, or one that is done and told so before.
            return Ok(Acknowledged::Stale);
        };
        if lease.worker != worker || lease.epoch != report.epoch {
            return Ok(Acknowledged::Stale);
        }
        // Reports are cumulative: one that has no more pairs than are merged brings nothing new.
        let merged_all = u64::from(lease.merged_pairs) >= report.cumulative.pairs().0;
        Ok(match lease.run_state {
            _ if merged_all => Acknowledged::Duplicate,
            RunState::Finished | RunState::Stopped => Acknowledged::RunEnded,
            RunState::Running | RunState::Paused => Acknowledged::Stale,
        })
    }

    pub(super) fn is_current(&self, session: Session) -> bool {
        self.sessions.get(&session.worker).is_some_and(|(number, _)| *number == session.number)
    }

    pub(super) fn send(&mut self, worker: WorkerId, message: Outbound) {
        let Some((_, line)) = self.sessions.get(&worker) else { return };
        if !line.take(message) {
            // Gone, or so slow that its line is full: it reconnects and says what it holds.
            self.end_session(worker);
        }
    }

    /// The key of a worker is good no longer: its session is over, and its leases go to others.
    pub(super) fn expel(&mut self, key: &PublicKey) {
        let Some(worker) = self.keys.get(&key.as_bytes()[..]).copied() else { return };
        if self.sessions.contains_key(&worker) {
            tracing::info!(worker.id = worker.0, "worker expelled: its key was revoked");
        }
        self.end_session(worker);
        self.scheduler.expel(worker);
    }

    pub(super) fn end_session(&mut self, worker: WorkerId) {
        self.sessions.remove(&worker);
        self.scheduler.leave(worker);
        self.live.remove(&worker);
    }
}
