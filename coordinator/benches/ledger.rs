//! What group commit is worth: the same reports, one to a transaction and two hundred to one.
//!
//! `cargo bench -p coordinator --bench ledger`. The server is a throw-away one in memory without
//! fsync, which flatters the single commits: on a disk each of them waits for a flush as well.

use anyhow::Result;
use model::lease::{GameRecord, PairIndex, PairRange, PairRecord};
use model::spec::RunSpec;
use model::view::RunState;
use model::{GameScore, LeaseId, Nodes, Ply, ReportId, RunId, Tally, Termination, WorkerId};
use std::time::Instant;
use store::{
    Batch, KeptGames, LeaderEpoch, LeaseMove, Ledger, NewLease, NewReport, NewRun, NewWorker,
    RunMove,
};
use testkit::{Database, specs};

const REPORTS: i64 = 2_000;
const PAIRS: u32 = 8;
const GROUPS: [usize; 2] = [1, 200];
const ROUNDS: usize = 3;
/// As long as the moves of a game of a hundred half-moves.
const MOVE_BYTES: usize = 70;

#[tokio::main]
async fn main() -> Result<()> {
    let database = Database::start().await?;
    let ledger = Ledger::open(database.url()).await?;
    let leader = ledger.take_lead().await?;
    let worker = NewWorker {
        id: WorkerId(1),
        key: vec![1; 16],
        name: "bench".to_owned(),
        platform: String::new(),
        software_version: String::new(),
        cores: 1,
        slots: 1,
    };
    let batch = Batch { workers: vec![worker], ..Batch::default() };
    ledger.commit(&leader, &batch).await?;
    let spec = coordinator::convert::spec(specs::tune(1_000_000, PAIRS))?;
    ledger.add_book(&spec.book, spec.game, 1, &specs::book_text()).await?;
    let mut next = 1;
    let mut best = [0.0_f64; GROUPS.len()];
    for round in 0..ROUNDS {
        // Both in turn, so that a slow moment of the machine meets both.
        for (group, best) in GROUPS.iter().zip(&mut best) {
            let run = RunId(next);
            let reports = prepare(&ledger, &leader, run, &spec, next).await?;
            next += REPORTS;
            let seconds = commit(&ledger, &leader, run, reports, *group).await?;
            let rate = REPORTS as f64 / seconds;
            *best = best.max(rate);
            println!("round {round}: {group:>3} reports a commit: {rate:>8.0} reports/s");
        }
    }
    println!(
        "best: {:.0} and {:.0} reports/s of {PAIRS} pairs: groups of {} are {:.1} times as fast",
        best[0],
        best[1],
        GROUPS[1],
        best[1] / best[0]
    );
    Ok(())
}

/// A run with its leases; the reports that complete them.
async fn prepare(
    ledger: &Ledger,
    leader: &LeaderEpoch,
    run: RunId,
    spec: &RunSpec,
    first: i64,
) -> Result<Vec<NewReport>> {
    let range = |n: i64| PairRange {
        first: PairIndex((n - first).unsigned_abs() * u64::from(PAIRS)),
        count: PAIRS,
    };
    let leases = (first..first + REPORTS).map(|n| NewLease {
        id: LeaseId(n),
        run,
        worker: WorkerId(1),
        epoch: 1,
        range: range(n),
        block: range(n).first.0,
        probe: None,
        candidate: None,
    });
    let filed = NewRun {
        id: run,
        spec: spec.clone(),
        idempotency_key: format!("bench-{run}"),
        owner: String::new(),
    };
    let batch = Batch { runs: vec![filed], leases: leases.collect(), ..Batch::default() };
    ledger.commit(leader, &batch).await?;
    let game = |score| GameRecord {
        score,
        termination: Termination::NoMove,
        plies: Ply(14),
        nodes: Nodes(28_000),
        moves: String::new(),
        evals: Vec::new(),
        times: Vec::new(),
    };
    let report = |n: i64| {
        let pairs: Vec<PairRecord> = range(n)
            .iter()
            .map(|index| PairRecord {
                index,
                candidate_first: game(GameScore::Win),
                base_first: game(GameScore::Draw),
            })
            .collect();
        NewReport {
            id: ReportId(n),
            run,
            lease: LeaseId(n),
            epoch: 1,
            sequence: 1,
            tally: pairs.iter().map(PairRecord::outcome).collect(),
            kept: pairs
                .iter()
                .map(|pair| KeptGames {
                    index: pair.index,
                    moves: [vec![0x5a; MOVE_BYTES], vec![0xa5; MOVE_BYTES]],
                    evals: None,
                    times: None,
                })
                .collect(),
            pairs,
        }
    };
    Ok((first..first + REPORTS).map(report).collect())
}

/// Seconds that it takes to make the reports durable, with the moves that the core adds to them.
async fn commit(
    ledger: &Ledger,
    leader: &LeaderEpoch,
    run: RunId,
    reports: Vec<NewReport>,
    group: usize,
) -> Result<f64> {
    let mut tally = Tally::default();
    let batches: Vec<Batch> = reports
        .chunks(group)
        .map(|reports| {
            reports.iter().for_each(|report| tally += report.tally);
            let whole = |report: &NewReport| LeaseMove {
                id: report.lease,
                merged_pairs: PAIRS,
                end: Some(model::lease::LeaseEnd::Completed),
            };
            let moved = RunMove {
                id: run,
                state: RunState::Running,
                state_reason: String::new(),
                verdict: None,
                tally,
                llr: None,
                point: Some("{\"theta\":[50.0,50.0],\"pairs\":8}".to_owned()),
                last_report: reports.last().map_or(ReportId(0), |report| report.id),
            };
            Batch {
                lease_moves: reports.iter().map(whole).collect(),
                reports: reports.to_vec(),
                run_moves: vec![moved],
                ..Batch::default()
            }
        })
        .collect();
    let since = Instant::now();
    for batch in &batches {
        ledger.commit(leader, batch).await?;
    }
    Ok(since.elapsed().as_secs_f64())
}
