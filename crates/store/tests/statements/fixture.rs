//! A throw-away Postgres with one worker, one book and one run, and rows to fill it with.

use model::lease::{GameRecord, LeaseEnd, PairIndex, PairRange, PairRecord};
use model::spec::{Canaries, GameLimit, Job, Keep, OptimizerSpec, RunSpec, TuneSpec};
use model::view::RunState;
use model::{
    GameKind, GameScore, LeaseId, Nodes, Pairs, ParameterDef, ParameterKind, ParameterSet, Ply,
    ReportId, RunId, Tally, Termination, WorkerId,
};
use pgbox::PgBox;
use store::{
    Batch, LeaderEpoch, LeaseMove, Ledger, NewLease, NewReport, NewRun, NewWorker, RunMove,
};

pub(crate) const RUN: RunId = RunId(1);
pub(crate) const WORKER: WorkerId = WorkerId(1);
/// What a failed set-up says in front of its cause.
const WORKS: &str = "the set-up works";

pub(crate) struct Fixture {
    pub(crate) ledger: Ledger,
    pub(crate) leader: LeaderEpoch,
    pub(crate) url: String,
    pub(crate) server: PgBox,
}

pub(crate) async fn start() -> Fixture {
    let started = tokio::task::spawn_blocking(PgBox::throwaway).await.expect("no panic");
    let server = started.expect("a throw-away Postgres is needed by this test");
    let url = server.url(pgbox::DATABASE);
    let ledger = Ledger::open(&url).await.expect(WORKS);
    let leader = ledger.take_lead().await.expect(WORKS);
    Fixture { ledger, leader, url, server }
}

/// With a worker, a book and a run in it.
pub(crate) async fn filled() -> Fixture {
    let fixture = start().await;
    fixture.ledger.add_book(&book(), GameKind::TicTacToe, 2, "one\ntwo").await.expect(WORKS);
    let workers = vec![worker(WORKER.0, 1)];
    let batch = Batch { workers, runs: vec![run(RUN, "first")], ..Batch::default() };
    fixture.commit(batch).await.expect(WORKS);
    fixture
}

impl Fixture {
    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), store::StoreError> {
        self.ledger.commit(&self.leader, &batch).await
    }

    pub(crate) async fn run(&self, sql: &'static str) {
        use sqlx::{Connection, PgConnection};
        let mut connection = PgConnection::connect(&self.url).await.expect(WORKS);
        sqlx::raw_sql(sql).execute(&mut connection).await.expect(WORKS);
    }

    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        use sqlx::{Connection, PgConnection};
        let mut connection = PgConnection::connect(&self.url).await.expect(WORKS);
        sqlx::query_scalar(sql).fetch_one(&mut connection).await.expect(WORKS)
    }
}

pub(crate) fn book() -> String {
    "a".repeat(64)
}

pub(crate) fn worker(id: i64, key: u8) -> NewWorker {
    NewWorker {
        id: WorkerId(id),
        key: vec![key; 16],
        name: format!("machine {id}"),
        platform: "test".to_owned(),
        software_version: "0.0.0".to_owned(),
        cores: 2,
        slots: 2,
    }
}

pub(crate) fn spec() -> RunSpec {
    let mut fixed = ParameterSet::default();
    fixed.set("tiny".to_owned(), 1e-7);
    fixed.set("huge".to_owned(), 1e300);
    fixed.set("least".to_owned(), f64::MIN_POSITIVE);
    fixed.set("third".to_owned(), -1.0 / 3.0);
    let parameter = ParameterDef {
        name: "sum".to_owned(),
        kind: ParameterKind::Float,
        start: 0.1 + 0.2,
        min: 0.0,
        max: f64::from(u32::MAX) * 1.1,
        c_end: 5.0,
        r_end: 0.002,
    };
    RunSpec {
        name: "zeichen „将“".to_owned(),
        game: GameKind::TicTacToe,
        seed: u64::MAX,
        weight: 0.7,
        limit: GameLimit::new(Nodes(50), Ply(20), 64),
        book: book(),
        book_order: model::spec::BookOrder::Random,
        lease_pairs: 8,
        lease_seconds: 60,
        keep: Keep::default(),
        canaries: Canaries::default(),
        players: None,
        job: Job::Tune(TuneSpec {
            pairs: Pairs(1_000),
            optimizer: OptimizerSpec::default(),
            parameters: vec![parameter],
            constraints: Vec::new(),
            fixed,
            forked_from: None,
        }),
    }
}

pub(crate) fn run(id: RunId, key: &str) -> NewRun {
    NewRun { id, spec: spec(), idempotency_key: key.to_owned(), owner: "tests".to_owned() }
}

pub(crate) fn range(first: u64, count: u32) -> PairRange {
    PairRange { first: PairIndex(first), count }
}

pub(crate) fn lease(id: i64, epoch: u32, first: u64, count: u32, block: u64) -> NewLease {
    NewLease {
        id: LeaseId(id),
        run: RUN,
        worker: WORKER,
        epoch,
        range: range(first, count),
        block,
        probe: Some(format!("probe of {block}")),
        candidate: None,
    }
}

pub(crate) fn report(id: i64, lease: i64, epoch: u32, sequence: u32, pairs: &[u64]) -> NewReport {
    let pairs: Vec<PairRecord> = pairs.iter().map(|index| pair(*index)).collect();
    NewReport {
        id: ReportId(id),
        run: RUN,
        lease: LeaseId(lease),
        epoch,
        sequence,
        tally: pairs.iter().map(PairRecord::outcome).collect::<Tally>(),
        kept: Vec::new(),
        pairs,
    }
}

fn pair(index: u64) -> PairRecord {
    let game = |score| GameRecord {
        score,
        termination: Termination::Board,
        plies: Ply(5),
        nodes: Nodes(100),
        moves: String::new(),
        evals: Vec::new(),
        times: Vec::new(),
    };
    let second = if index.is_multiple_of(2) { GameScore::Draw } else { GameScore::Loss };
    PairRecord {
        index: PairIndex(index),
        candidate_first: game(GameScore::Win),
        base_first: game(second),
    }
}

pub(crate) fn moved(id: i64, merged_pairs: u32, end: Option<LeaseEnd>) -> LeaseMove {
    LeaseMove { id: LeaseId(id), merged_pairs, end }
}

pub(crate) fn run_move(state: RunState, last_report: i64) -> RunMove {
    RunMove {
        id: RUN,
        state,
        state_reason: String::new(),
        verdict: None,
        tally: Tally::default(),
        llr: None,
        point: None,
        last_report: ReportId(last_report),
    }
}
