//! The promises, asked of the ledger with the history in hand.
//!
//! What an actor was told is durable must be in the ledger, under the lease that it was told for, and a
//! pair under one lease alone. What was said and not answered may be there or not. What was never said
//! must not be there.

use crate::history::{Entry, Event};
use anyhow::Context;
use proto::v1;
use serde::Serialize;
use sqlx::{Connection, PgConnection};
use std::collections::{BTreeMap, BTreeSet};

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Found {
    /// Leases that actors had.
    pub(crate) leases: usize,
    /// Pairs that actors were told are durable.
    pub(crate) acknowledged_pairs: usize,
    /// Pairs that were said and never answered.
    pub(crate) unanswered_pairs: usize,
    /// Pairs in the ledger.
    pub(crate) ledger_pairs: usize,
    pub(crate) reports: i64,
    pub(crate) leader_epochs: i64,
    pub(crate) leases_by_end: BTreeMap<String, i64>,
    /// What is not as promised.
    pub(crate) violations: Vec<String>,
}

/// What actors said and heard of one lease.
#[derive(Default)]
struct Story {
    run: i64,
    pairs: BTreeSet<u64>,
    said: BTreeSet<u64>,
    acknowledged: BTreeSet<u64>,
}

/// Checks everything; runs are replayed by the coordinator there.
pub(crate) async fn check(
    history: &[Entry],
    database: &str,
    leader: &str,
) -> anyhow::Result<Found> {
    let mut found = Found::default();
    let stories = stories(history, &mut found.violations);
    let mut ledger = PgConnection::connect(database).await?;
    pairs(&mut ledger, &stories, &mut found).await?;
    leases(&mut ledger, &stories, &mut found).await?;
    (found.reports, found.leader_epochs) =
        sqlx::query_as("SELECT (SELECT count(*) FROM reports), (SELECT epoch FROM leadership)")
            .fetch_one(&mut ledger)
            .await?;
    let over: Vec<i64> = sqlx::query_scalar(
        "SELECT id FROM runs WHERE ll + ld + dd + dw + ww >
            coalesce((spec #>> '{job,tune,pairs}')::bigint, (spec #>> '{job,test,max_pairs}')::bigint)",
    )
    .fetch_all(&mut ledger)
    .await?;
    for run in over {
        found.violations.push(format!("I5: run {run} counts more pairs than were asked for"));
    }
    let mut snapshot = store::Snapshot::take(database).await?;
    found.violations.extend(snapshot.contradictions().await?);
    replays(leader, &mut found.violations).await?;
    Ok(found)
}

fn stories(history: &[Entry], violations: &mut Vec<String>) -> BTreeMap<(i64, u32), Story> {
    let mut stories: BTreeMap<(i64, u32), Story> = BTreeMap::new();
    // The pairs of a report by its number, as its sender listed them.
    let mut reports: BTreeMap<(i64, u32, u32), BTreeSet<u64>> = BTreeMap::new();
    for entry in history {
        match &entry.event {
            Event::Leased { lease, epoch, run, pairs } => {
                let story = stories.entry((*lease, *epoch)).or_default();
                if !story.pairs.is_empty() {
                    violations.push(format!("I3: lease {lease} was given twice at epoch {epoch}"));
                }
                story.run = *run;
                story.pairs.extend(pairs);
            }
            Event::Reported { lease, epoch, sequence, pairs } => {
                let story = stories.entry((*lease, *epoch)).or_default();
                story.said.extend(pairs);
                reports.entry((*lease, *epoch, *sequence)).or_default().extend(pairs);
            }
            Event::Acked { lease, epoch, sequence, outcome } => {
                let pairs = reports.get(&(*lease, *epoch, *sequence)).cloned().unwrap_or_default();
                let story = stories.entry((*lease, *epoch)).or_default();
                match outcome.as_str() {
                    "ACK_OUTCOME_MERGED" | "ACK_OUTCOME_DUPLICATE" => {
                        story.acknowledged.extend(pairs);
                    }
                    "ACK_OUTCOME_INVALID" => violations.push(format!(
                        "an honest report was refused as invalid: lease {lease}, number {sequence}"
                    )),
                    _ => {}
                }
            }
            Event::Returned { .. } | Event::Fault { .. } => {}
        }
    }
    stories
}

/// I1, I2, I4, I6.
async fn pairs(
    ledger: &mut PgConnection,
    stories: &BTreeMap<(i64, u32), Story>,
    found: &mut Found,
) -> anyhow::Result<()> {
    let rows: Vec<(i64, i64, i64)> =
        sqlx::query_as("SELECT run_id, pair_index, lease_id FROM pairs")
            .fetch_all(&mut *ledger)
            .await?;
    found.ledger_pairs = rows.len();
    let mut there: BTreeMap<(i64, u64), i64> = BTreeMap::new();
    for (run, pair, lease) in rows {
        if there.insert((run, u64::try_from(pair)?), lease).is_some() {
            found.violations.push(format!("I1: pair {pair} of run {run} is in the ledger twice"));
        }
    }
    let mut said: BTreeMap<i64, BTreeSet<u64>> = BTreeMap::new();
    for ((lease, epoch), story) in stories {
        found.leases += 1;
        found.acknowledged_pairs += story.acknowledged.len();
        found.unanswered_pairs += story.said.difference(&story.acknowledged).count();
        said.entry(*lease).or_default().extend(&story.said);
        for pair in &story.acknowledged {
            match there.get(&(story.run, *pair)) {
                Some(in_ledger) if in_ledger == lease => {}
                Some(other) => found.violations.push(format!(
                    "I1: pair {pair} of run {} was acknowledged for lease {lease} at epoch {epoch}, \
                     and is in the ledger for lease {other}",
                    story.run
                )),
                None => found.violations.push(format!(
                    "I2: pair {pair} of run {} was acknowledged for lease {lease} at epoch {epoch}, \
                     and is not in the ledger",
                    story.run
                )),
            }
        }
        if let Some(pair) = story.said.difference(&story.pairs).next() {
            found
                .violations
                .push(format!("lease {lease} was reported with pair {pair}, not its own"));
        }
    }
    for ((run, pair), lease) in &there {
        if said.get(lease).is_some_and(|said| !said.contains(pair)) {
            found.violations.push(format!(
                "I6: pair {pair} of run {run} is in the ledger for lease {lease}, whose holder never \
                 reported it"
            ));
        }
    }
    Ok(())
}

/// I3.
async fn leases(
    ledger: &mut PgConnection,
    stories: &BTreeMap<(i64, u32), Story>,
    found: &mut Found,
) -> anyhow::Result<()> {
    let rows: Vec<(i64, i32, String)> =
        sqlx::query_as("SELECT id, epoch, state FROM leases").fetch_all(&mut *ledger).await?;
    let known: BTreeSet<(i64, u32)> = rows
        .iter()
        .map(|(id, epoch, _)| Ok((*id, u32::try_from(*epoch)?)))
        .collect::<anyhow::Result<_>>()?;
    for (lease, epoch) in stories.keys() {
        if !known.contains(&(*lease, *epoch)) {
            found.violations.push(format!(
                "I3: lease {lease} at epoch {epoch} was given and is not in the ledger"
            ));
        }
    }
    for (id, _, state) in rows {
        if state == "active" {
            found.violations.push(format!("I3: lease {id} has no end, though its run is over"));
        }
        *found.leases_by_end.entry(state).or_default() += 1;
    }
    Ok(())
}

/// I7, I8.
async fn replays(leader: &str, violations: &mut Vec<String>) -> anyhow::Result<()> {
    let channel = proto::connect(leader, Some(&testkit::admin())).await?;
    let mut client = v1::control_service_client::ControlServiceClient::new(channel)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
    let runs = client.list_runs(v1::ListRunsRequest { limit: 100 }).await?.into_inner().runs;
    for run in runs {
        let request = v1::ReplayRunRequest { run_id: run.run_id };
        let replay = client.replay_run(request).await.context("a replay")?.into_inner();
        if !replay.matches_stored {
            violations.push(format!("I8: run {} replayed is not what is stored", run.run_id));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(event: Event) -> Entry {
        Entry { ms: 0, actor: "a".to_owned(), event }
    }

    fn told(outcome: &str) -> Vec<Entry> {
        vec![
            entry(Event::Leased { lease: 1, epoch: 1, run: 7, pairs: vec![0, 1] }),
            entry(Event::Reported { lease: 1, epoch: 1, sequence: 1, pairs: vec![0] }),
            entry(Event::Acked { lease: 1, epoch: 1, sequence: 1, outcome: outcome.to_owned() }),
        ]
    }

    #[test]
    fn what_is_acknowledged_is_what_was_reported_under_that_number() {
        let mut violations = Vec::new();
        let stories = stories(&told("ACK_OUTCOME_MERGED"), &mut violations);
        assert_eq!(stories[&(1, 1)].acknowledged, BTreeSet::from([0]));
        assert_eq!(violations, Vec::<String>::new());
    }

    #[test]
    fn a_refusal_of_an_honest_report_and_a_lease_given_twice_are_violations() {
        let mut violations = Vec::new();
        let mut history = told("ACK_OUTCOME_INVALID");
        history.push(history[0].clone());
        let stories = stories(&history, &mut violations);
        assert!(stories[&(1, 1)].acknowledged.is_empty());
        assert_eq!(violations.len(), 2, "{violations:?}");
    }
}
