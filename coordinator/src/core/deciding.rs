//! What each command does to the scheduler, and what waits for the commit.

use super::handle::{self, Command, Reply};
use super::{Answer, Core, CoreError, Explained, unix_ms};
use model::{RunId, WorkerId};
use store::StoreError;

impl Core {
    /// Decides one command. Nothing is answered that has to be written first.
    pub(super) async fn decide(
        &mut self,
        command: Command,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        fn later<T: Send + 'static>(reply: Reply<T>, result: Result<T, CoreError>) -> Answer {
            Answer::Reply(Box::new(move || {
                // Whoever asked may be gone by now.
                let _ = reply.send(result);
            }))
        }
        match command {
            Command::Join { reply, .. } if self.shutdown.is_cancelled() => {
                answers.push(later(reply, Err(CoreError::Stopping)));
            }
            Command::Join { hello, line, reply } => {
                let session = self.join(hello, line);
                answers.push(later(reply, Ok(session)));
            }
            Command::Expel { key, reply } => {
                self.expel(&key);
                answers.push(later(reply, Ok(())));
            }
            Command::Explain { hello, reply } => {
                let known = self.keys.get(&hello.key.as_bytes()[..]).copied();
                // Of a worker that never came nothing is held against it.
                let worker = known.unwrap_or(WorkerId(0));
                let (connected, leases, session_idle) =
                    self.scheduler.worker(worker).unwrap_or_default();
                let idle = self.scheduler.explain(worker, &hello.offer);
                let explained = Explained { idle, connected, leases, session_idle };
                answers.push(later(reply, Ok(explained)));
            }
            Command::Leave(session) => {
                if self.is_current(session) {
                    self.end_session(session.worker);
                }
            }
            Command::Said(session, said) => {
                if self.is_current(session) {
                    self.said(session, said, answers).await?;
                }
            }
            Command::Terms(session, report, reply) => {
                let terms = match self.is_current(session) {
                    true => self.scheduler.terms(session.worker, &report),
                    false => None,
                };
                // Nothing is decided by it, so it need not wait for the commit.
                let _ = reply.send((report, terms));
            }
            // Taken out of the group before.
            Command::Believe(_) => {}
            Command::ExplainRun { run, reply } => {
                answers.push(later(reply, Ok(self.scheduler.explain_run(run))));
            }
            Command::Release { worker, author, reason, reply } => {
                let was_held = self.scheduler.release(worker, &author, &reason);
                answers.push(later(reply, Ok(was_held)));
            }
            Command::Create { spec, filed, openings, reply } => {
                let made = match self.run_of_key(&filed.key).await? {
                    Some(run) => Ok(run),
                    None => {
                        let now = unix_ms();
                        self.scheduler.create(*spec, filed, *openings, now).map_err(CoreError::from)
                    }
                };
                answers.push(later(reply, made));
            }
            Command::Fork(forking) => {
                let handle::Forking { spec, source, filed, openings, reply } = *forking;
                let made = match self.run_of_key(&filed.key).await? {
                    Some(run) => Ok(run),
                    None => {
                        let made = self.scheduler.fork(spec, &source, filed, openings, unix_ms());
                        made.map_err(CoreError::from)
                    }
                };
                answers.push(later(reply, made));
            }
            Command::Extend { run, asked, reply } => {
                let done = self.scheduler.extend(run, asked).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Weigh { run, weight, reply } => {
                let done = self.scheduler.weigh(run, weight).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Pause { run, reason, reply } => {
                let done = self.scheduler.pause(run, &reason).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Resume { run, reply } => {
                let done = self.scheduler.resume(run).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
            Command::Stop { run, reason, reply } => {
                let done = self.scheduler.stop(run, &reason, unix_ms()).map_err(CoreError::from);
                answers.push(later(reply, done));
            }
        }
        Ok(())
    }

    /// The run that was filed with this key, if there is one.
    async fn run_of_key(&self, key: &str) -> Result<Option<RunId>, StoreError> {
        match self.scheduler.runs().find(|run| run.idempotency_key == key) {
            Some(run) => Ok(Some(run.id)),
            None => self.ledger.run_of_key(key).await,
        }
    }
}
