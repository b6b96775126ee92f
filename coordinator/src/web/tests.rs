//! The pages against a small source, over a real socket where the order of bytes matters.

use super::{MAX_STREAMS, Source, SourceError, assets, not_found, router};
use axum::Router;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::lease::PairIndex;
use model::spec::{
    Canaries, EloModel, GameLimit, Job, Keep, OptimizerSpec, RaceCandidate, RaceSpec, RaceStop,
    RunSpec, SprtSpec, TestSpec, TuneSpec,
};
use model::view::{
    CandidateState, CandidateView, CorrectedView, GameView, LeaseCounts, PairView, ProgressView,
    RaceView, RunState, RunView, TestPoint, TestView, TunePoint, TuneView, WorkerView,
};
use model::{
    GameKind, GameScore, Nodes, Pairs, ParameterDef, ParameterKind, ParameterSet, Ply, RunId,
    Tally, Termination, WorkerId,
};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const HOSTILE: &str = "<script>alert(1)</script>\"'&";

/// Runs in memory, oldest first.
struct Memory {
    runs: Mutex<Vec<RunView>>,
    changes: watch::Sender<u64>,
    /// How often one run was read.
    reads: watch::Sender<u64>,
}

impl Memory {
    fn change(&self, act: impl FnOnce(&mut Vec<RunView>)) {
        act(&mut self.runs.lock().unwrap());
        self.changes.send_modify(|number| *number += 1);
    }
}

impl Source for Memory {
    fn runs(&self) -> BoxFuture<'_, Result<Vec<RunView>, SourceError>> {
        let runs = self.runs.lock().unwrap().iter().rev().cloned().collect();
        async { Ok(runs) }.boxed()
    }

    fn run(&self, id: RunId) -> BoxFuture<'_, Result<Option<Arc<RunView>>, SourceError>> {
        let run = self.runs.lock().unwrap().iter().find(|run| run.id == id).cloned();
        self.reads.send_modify(|number| *number += 1);
        async { Ok(run.map(Arc::new)) }.boxed()
    }

    fn pair(
        &self,
        run: RunId,
        pair: PairIndex,
    ) -> BoxFuture<'_, Result<Option<PairView>, SourceError>> {
        let known = run == RunId(1) && pair == PairIndex(0);
        async move { Ok(known.then(played)) }.boxed()
    }

    fn workers(&self) -> BoxFuture<'_, Result<Vec<WorkerView>, SourceError>> {
        async { Ok(vec![worker()]) }.boxed()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// A source that cannot answer.
struct Down(watch::Sender<u64>);

impl Source for Down {
    fn runs(&self) -> BoxFuture<'_, Result<Vec<RunView>, SourceError>> {
        async { Err(SourceError("secret detail".into())) }.boxed()
    }

    fn run(&self, _: RunId) -> BoxFuture<'_, Result<Option<Arc<RunView>>, SourceError>> {
        async { Err(SourceError("secret detail".into())) }.boxed()
    }

    fn pair(&self, _: RunId, _: PairIndex) -> BoxFuture<'_, Result<Option<PairView>, SourceError>> {
        async { Err(SourceError("secret detail".into())) }.boxed()
    }

    fn workers(&self) -> BoxFuture<'_, Result<Vec<WorkerView>, SourceError>> {
        async { Err(SourceError("secret detail".into())) }.boxed()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

fn played() -> PairView {
    let game = GameView {
        score: GameScore::Win,
        termination: Termination::Board,
        plies: Ply(3),
        nodes: Nodes(90),
        moves: Some("a1 b1 a2".to_owned()),
        evals: Vec::new(),
        times: Vec::new(),
    };
    PairView {
        run: RunId(1),
        pair: PairIndex(0),
        worker: WorkerId(1),
        merged_at_unix_ms: 0,
        opening: "x../.../..o x".to_owned(),
        candidate_first: game.clone(),
        base_first: game,
    }
}

fn worker() -> WorkerView {
    WorkerView {
        id: WorkerId(1),
        name: HOSTILE.into(),
        platform: "linux x86_64".into(),
        software_version: "0.1.0".into(),
        cores: 4,
        slots: 3,
        connected: true,
        first_seen_unix_ms: 0,
        last_seen_unix_ms: 0,
        nodes_per_second: 1,
        playing_games: 3,
        active_leases: 1,
        counted_pairs: 9,
        idle_reason: String::new(),
        refused_reports: 0,
        last_refusal: String::new(),
        owner: HOSTILE.into(),
        on_hold: String::new(),
        audited_pairs: 0,
        mismatched_pairs: 0,
        excluded: false,
        suspicion: None,
    }
}

fn run(id: i64, job: Job, progress: ProgressView) -> RunView {
    let kind = job.kind().to_owned();
    let asked_pairs = job.pairs_asked().0;
    let limit = GameLimit::new(Nodes(20_000), Ply(300), 1024);
    let spec = RunSpec {
        name: HOSTILE.into(),
        game: GameKind::Xiangqi,
        seed: u64::MAX,
        weight: 1.0,
        limit,
        book: "0".repeat(64),
        book_order: model::spec::BookOrder::Random,
        lease_pairs: 8,
        lease_seconds: 60,
        keep: Keep::default(),
        canaries: Canaries::default(),
        players: None,
        job,
    };
    RunView {
        id: RunId(id),
        kind,
        spec,
        state: RunState::Running,
        state_reason: String::new(),
        created_at_unix_ms: 0,
        ended_at_unix_ms: None,
        asked_pairs,
        counted_pairs: 0,
        leased_pairs: 0,
        tally: Tally::default(),
        pairs_per_second: 0.0,
        eta_seconds: None,
        leases: LeaseCounts::default(),
        reports: 0,
        excluded_pairs: 0,
        excluded_reports: 0,
        audited_pairs: 0,
        mismatched_pairs: 0,
        recorded_llr: None,
        warning: String::new(),
        progress,
    }
}

fn tune(id: i64) -> RunView {
    let parameter = ParameterDef {
        name: "margin".into(),
        kind: ParameterKind::Int,
        start: 10.0,
        min: 0.0,
        max: 40.0,
        c_end: 2.0,
        r_end: 0.002,
    };
    let job = Job::Tune(TuneSpec {
        pairs: Pairs(1000),
        optimizer: OptimizerSpec::default(),
        parameters: vec![parameter],
        constraints: Vec::new(),
        fixed: ParameterSet::default(),
        forked_from: None,
    });
    let view = TuneView {
        theta: vec![10.0],
        suggested: ParameterSet::default(),
        estimate: None,
        verdict: None,
        choices: Vec::new(),
        trace: vec![],
    };
    run(id, job, ProgressView::Tune(view))
}

fn test(id: i64) -> RunView {
    let sprt =
        SprtSpec { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };
    let job = Job::Test(TestSpec {
        candidate: [(HOSTILE.to_owned(), 1.0)].into_iter().collect(),
        base: ParameterSet::default(),
        candidate_run: Some(RunId(1)),
        sprt: Some(sprt),
        max_pairs: Pairs(500),
        futility: 0.0,
    });
    let view = TestView {
        llr: Some(0.0),
        lower: Some(-2.94),
        upper: Some(2.94),
        elo: 0.0,
        elo_low: f64::NEG_INFINITY,
        elo_high: f64::INFINITY,
        normalized_elo: 0.0,
        los: 0.5,
        corrected: None,
        outlook: None,
        verdict: None,
        trace: vec![],
    };
    run(id, job, ProgressView::Test(view))
}

/// A server on a port of its own.
struct Served {
    at: SocketAddr,
    shutdown: CancellationToken,
    done: JoinHandle<std::io::Result<()>>,
}

async fn serve(source: Arc<dyn Source>) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let app: Router = router(source, None, None, shutdown.clone()).fallback(not_found);
    let stop = shutdown.clone().cancelled_owned();
    let done = tokio::spawn(axum::serve(listener, app).with_graceful_shutdown(stop).into_future());
    Served { at, shutdown, done }
}

async fn memory() -> (Arc<Memory>, Served) {
    let memory = Arc::new(Memory {
        runs: Mutex::new(vec![tune(1), test(2)]),
        changes: watch::channel(7).0,
        reads: watch::channel(0).0,
    });
    let served = serve(memory.clone()).await;
    (memory, served)
}

/// Sends a request and returns the whole answer.
async fn ask(at: SocketAddr, path: &str, header: &str) -> String {
    let mut socket = TcpStream::connect(at).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: t\r\nconnection: close\r\n{header}\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// An event stream, read line by line.
struct Stream(BufReader<TcpStream>);

impl Stream {
    async fn open(at: SocketAddr, path: &str) -> (String, Self) {
        let mut socket = TcpStream::connect(at).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: t\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut reader = BufReader::new(socket);
        let mut status = String::new();
        reader.read_line(&mut status).await.unwrap();
        (status, Self(reader))
    }

    /// Name, id and data of the next event; none when the stream has ended.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        let (mut name, mut id, mut data) = (String::new(), String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(text) = line.strip_prefix("event: ") {
                name = text.into();
            } else if let Some(text) = line.strip_prefix("id: ") {
                id = text.into();
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = text.into();
            } else if line.is_empty() && !data.is_empty() {
                return Some((name, id, serde_json::from_str(&data).unwrap()));
            } else if line == "0" {
                return None;
            }
        }
    }
}

#[tokio::test]
async fn every_route_answers_with_a_policy_that_allows_own_assets_only() {
    let (_memory, served) = memory().await;
    for (path, status, kind) in [
        ("/", "200", "text/html"),
        ("/runs/1", "200", "text/html"),
        ("/runs/2", "200", "text/html"),
        ("/runs/3", "404", "text/html"),
        ("/runs/one", "404", "text/html"),
        ("/nowhere", "404", "text/html"),
        ("/api/runs", "200", "application/json"),
        ("/api/runs/1", "200", "application/json"),
        ("/api/runs/3", "404", "application/json"),
        ("/api/runs/-", "404", "application/json"),
        ("/api/nowhere", "404", "application/json"),
        ("/api/workers", "200", "application/json"),
        ("/events/runs/3", "404", "application/json"),
        ("/assets/nothing", "404", "text/plain"),
        ("/healthz", "200", "text/plain"),
    ] {
        let answer = ask(served.at, path, "").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
        assert!(answer.contains(&format!("content-type: {kind}")), "{path}: {answer}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; ",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
            "referrer-policy: no-referrer",
        ] {
            assert!(answer.contains(header), "{path} lacks {header}");
        }
    }
}

#[tokio::test]
async fn the_fallback_speaks_grpc_to_grpc() {
    let (_memory, served) = memory().await;
    let answer = ask(served.at, "/some.Service/Call", "content-type: application/grpc\r\n").await;
    assert!(answer.contains("grpc-status: 12"), "{answer}");
}

#[tokio::test]
async fn json_is_the_view_itself() {
    let (memory, served) = memory().await;
    let runs: Vec<Value> =
        serde_json::from_str(body(&ask(served.at, "/api/runs", "").await)).unwrap();
    assert_eq!(runs.iter().map(|run| &run["id"]).collect::<Vec<_>>(), [&json!(2), &json!(1)]);
    let run: RunView =
        serde_json::from_str(body(&ask(served.at, "/api/runs/1", "").await)).unwrap();
    assert_eq!(run, memory.runs.lock().unwrap()[0]);
}

#[tokio::test]
async fn names_from_outside_stay_text() {
    let (_memory, served) = memory().await;
    for path in ["/", "/runs/1", "/runs/2"] {
        let page = ask(served.at, path, "").await;
        assert!(!page.contains("<script>alert"), "{path}");
        assert!(!page.contains(" style="), "{path} has a style that its policy forbids");
        assert!(!page.contains("<script>"), "{path} has a script that its policy forbids");
    }
    let page = ask(served.at, "/runs/2", "").await;
    assert_eq!(page.matches("&lt;script&gt;alert(1)").count(), 3, "title, heading, parameter");
}

/// A race of a hostile name.
fn race(id: i64) -> RunView {
    let sprt =
        SprtSpec { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };
    let candidate = |name: &str, value| RaceCandidate {
        name: name.to_owned(),
        values: [("margin".to_owned(), value)].into_iter().collect(),
        run: Some(RunId(7)),
    };
    let candidates = vec![candidate(HOSTILE, 1.0), candidate("other", 2.0)];
    let standing = |candidate: &RaceCandidate| CandidateView {
        name: candidate.name.clone(),
        state: CandidateState::Open,
        tally: Tally::default(),
        llr: 0.0,
        lower: -2.9,
        upper: 3.6,
        elo: 0.0,
        elo_low: -1.0,
        elo_high: 1.0,
        corrected: CorrectedView { elo: 0.0, elo_low: -1.0, elo_high: 1.0, los: 0.5 },
    };
    let view = RaceView {
        candidates: candidates.iter().map(standing).collect(),
        winner: None,
        verdict: None,
    };
    let job = Job::Race(RaceSpec {
        candidates,
        base: ParameterSet::default(),
        sprt,
        stop: RaceStop::First,
        max_pairs: Pairs(500),
    });
    run(id, job, ProgressView::Race(view))
}

#[tokio::test]
async fn races_and_matches_have_pages_of_their_own() {
    let mut fixed = test(2);
    let (Job::Test(spec), ProgressView::Test(view)) = (&mut fixed.spec.job, &mut fixed.progress)
    else {
        panic!("a test")
    };
    spec.sprt = None;
    (view.llr, view.lower, view.upper) = (None, None, None);
    let memory = Arc::new(Memory {
        runs: Mutex::new(vec![race(1), fixed]),
        changes: watch::channel(7).0,
        reads: watch::channel(0).0,
    });
    let served = serve(memory.clone()).await;
    let page = ask(served.at, "/runs/1", "").await;
    assert!(page.contains("/assets/race.js") && !page.contains("<script>alert"), "{page}");
    assert_eq!(page.matches("data-c=\"llr\"").count(), 2, "a row for each candidate");
    assert!(page.contains("href=\"/runs/7\""), "{page}");
    let page = ask(served.at, "/runs/2", "").await;
    assert!(page.contains("data-f=\"elo-chart\"") && page.contains("500 pairs"), "{page}");
    for absent in ["llr-chart", "data-f=\"gauge\"", "data-f=\"passes\"", "Hypotheses"] {
        assert!(!page.contains(absent), "{absent} is in {page}");
    }
    let run: RunView =
        serde_json::from_str(body(&ask(served.at, "/api/runs/1", "").await)).unwrap();
    assert_eq!(run, memory.runs.lock().unwrap()[0]);
}

#[tokio::test]
async fn pages_ask_only_for_assets_that_exist() {
    let (_memory, served) = memory().await;
    for path in ["/", "/runs/1", "/runs/2"] {
        let page = ask(served.at, path, "").await;
        for rest in page.split("\"/assets/").skip(1) {
            let name = rest.split('"').next().unwrap();
            assert!(assets::ASSETS.iter().any(|(known, ..)| *known == name), "{path}: {name}");
        }
    }
    for (name, _, bytes) in assets::ASSETS {
        let text = std::str::from_utf8(bytes).unwrap();
        for rest in text.split(" from './").skip(1) {
            let import = rest.split('\'').next().unwrap();
            assert!(assets::ASSETS.iter().any(|(known, ..)| *known == import), "{name}: {import}");
        }
        if !name.starts_with("uplot") {
            assert!(!text.contains("innerHTML"), "{name} turns text into markup");
        }
    }
}

#[tokio::test]
async fn a_known_asset_is_not_sent_again() {
    let (_memory, served) = memory().await;
    let first = ask(served.at, "/assets/style.css", "").await;
    assert!(first.contains("content-type: text/css"), "{first}");
    let tag = first.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let again = ask(served.at, "/assets/style.css", &format!("if-none-match: {tag}\r\n")).await;
    assert!(again.starts_with("HTTP/1.1 304 "), "{again}");
    assert_eq!(body(&again), "");
    let other = ask(served.at, "/assets/style.css", "if-none-match: \"other\"\r\n").await;
    assert!(other.starts_with("HTTP/1.1 200 "), "{other}");
}

#[tokio::test]
async fn a_stream_begins_with_everything_and_goes_on_with_what_is_new() {
    let (memory, served) = memory().await;
    let point = |pairs: u64| TunePoint { pairs, theta: vec![10.0 + pairs as f64] };
    let set = |points: Vec<TunePoint>| {
        memory.change(|runs| {
            runs[0].counted_pairs = points.last().map_or(0, |last| last.pairs);
            let ProgressView::Tune(tune) = &mut runs[0].progress else { unreachable!() };
            tune.trace = points;
        });
    };
    set(vec![point(8), point(16)]);
    let (status, mut stream) = Stream::open(served.at, "/events/runs/1").await;
    assert!(status.starts_with("HTTP/1.1 200"), "{status}");
    let (name, id, data) = stream.next().await.unwrap();
    assert_eq!((name.as_str(), id.as_str()), ("snapshot", "8"));
    let whole: RunView = serde_json::from_value(data).unwrap();
    assert_eq!(whole, memory.runs.lock().unwrap()[0]);

    set(vec![point(8), point(16), point(24)]);
    let (name, id, data) = stream.next().await.unwrap();
    assert_eq!((name.as_str(), id.as_str()), ("update", "9"));
    assert_eq!(data["keep"], 2);
    assert_eq!(data["run"]["progress"]["tune"]["trace"], json!([point(24)]));
    assert_eq!(data["run"]["counted_pairs"], 24);
    assert_eq!(data["run"].get("spec"), None);

    // A trace that was thinned out takes the place of what the client has from there on.
    set(vec![point(8), point(24), point(32)]);
    let (_, _, data) = stream.next().await.unwrap();
    assert_eq!(data["keep"], 1);
    assert_eq!(data["run"]["progress"]["tune"]["trace"], json!([point(24), point(32)]));
}

#[tokio::test]
async fn a_stream_of_a_tune_has_the_parameters_that_its_page_asks_for() {
    let (memory, served) = memory().await;
    memory.change(|runs| {
        let run = &mut runs[0];
        let Job::Tune(spec) = &mut run.spec.job else { unreachable!() };
        let ProgressView::Tune(view) = &mut run.progress else { unreachable!() };
        let one = spec.parameters[0].clone();
        let name = |place: usize| format!("Weight_{place:03}");
        spec.parameters = (0..500).map(|i| ParameterDef { name: name(i), ..one.clone() }).collect();
        view.theta = (0..500).map(|i| 10.0 + f64::from(i) / 100.0).collect();
    });
    let seen = async |words: &str| {
        let (status, mut stream) = Stream::open(served.at, &format!("/events/runs/1{words}")).await;
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        let (_, _, data) = stream.next().await.unwrap();
        let run: RunView = serde_json::from_value(data).unwrap();
        let Job::Tune(spec) = run.spec.job else { unreachable!() };
        let ProgressView::Tune(view) = run.progress else { unreachable!() };
        assert_eq!(view.theta.len(), spec.parameters.len());
        spec.parameters.into_iter().map(|p| p.name).collect::<Vec<_>>()
    };
    let farthest = seen("").await;
    assert_eq!((farthest.len(), farthest[0].as_str()), (200, "Weight_300"));
    assert_eq!(seen("?order=file").await[0], "Weight_000");
    assert_eq!(seen("?filter=weight_49").await.len(), 10);
    assert_eq!(seen("?filter=weight_497&order=signal").await, ["Weight_497"]);
    assert!(seen("?filter=no%20such").await.is_empty());
}

#[tokio::test]
async fn a_change_that_does_not_touch_the_run_sends_nothing() {
    let (memory, served) = memory().await;
    let (_, mut stream) = Stream::open(served.at, "/events/runs/2").await;
    assert_eq!(stream.next().await.unwrap().0, "snapshot");
    memory.change(|runs| runs[0].reports += 1);
    // Read when the stream was asked for, for the snapshot, and for that change.
    memory.reads.subscribe().wait_for(|number| *number == 3).await.unwrap();
    memory.change(|runs| {
        let ProgressView::Test(test) = &mut runs[1].progress else { unreachable!() };
        test.trace.push(TestPoint {
            pairs: 8,
            llr: Some(0.1),
            elo: 1.0,
            elo_low: -9.0,
            elo_high: 11.0,
        });
    });
    let (_, id, data) = stream.next().await.unwrap();
    assert_eq!(id, "9");
    assert_eq!(data["run"]["progress"]["test"]["trace"][0]["pairs"], 8);
}

#[tokio::test]
async fn the_overview_names_runs_and_workers() {
    let (memory, served) = memory().await;
    let (_, mut stream) = Stream::open(served.at, "/events").await;
    let (name, _, data) = stream.next().await.unwrap();
    assert_eq!(name, "snapshot");
    assert_eq!(data["runs"][0]["test"]["upper"], 2.94);
    assert_eq!(data["runs"][0]["test"]["elo_low"], Value::Null, "not finite");
    assert_eq!(data["runs"][1]["moved"]["name"], "margin");
    assert_eq!(data["workers"][0]["name"], HOSTILE);
    memory.change(|runs| runs[1].counted_pairs = 5);
    let (name, _, data) = stream.next().await.unwrap();
    assert_eq!((name.as_str(), &data["runs"][0]["counted_pairs"]), ("update", &json!(5)));
}

#[tokio::test]
async fn many_finished_runs_are_counted_and_unfinished_ones_shown() {
    let mut runs = (1..=150).map(tune).collect::<Vec<_>>();
    for run in &mut runs[1..] {
        run.state = RunState::Finished;
    }
    runs.reverse();
    let overview = serde_json::to_value(super::cards::overview(&runs, &[])).unwrap();
    assert_eq!(overview["runs"].as_array().unwrap().len(), 101);
    assert_eq!(overview["runs"][100]["id"], 1);
    assert_eq!(overview["older"], 49);
}

#[tokio::test]
async fn open_streams_do_not_hold_up_the_end() {
    let (_memory, served) = memory().await;
    let (_, mut stream) = Stream::open(served.at, "/events/runs/1").await;
    assert!(stream.next().await.is_some());
    served.shutdown.cancel();
    assert!(stream.next().await.is_none());
    drop(stream);
    served.done.await.unwrap().unwrap();
}

#[tokio::test]
async fn streams_are_bounded_and_a_closed_one_makes_room() {
    let (memory, served) = memory().await;
    let mut open = Vec::new();
    for _ in 0..MAX_STREAMS {
        let (status, stream) = Stream::open(served.at, "/events").await;
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        open.push(stream);
    }
    let refused = ask(served.at, "/events", "").await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("retry-after: "), "{refused}");
    open.clear();
    // The server notices a closed connection when it reads or writes the next time.
    loop {
        memory.change(|runs| runs[0].reports += 1);
        let (status, _stream) = Stream::open(served.at, "/events").await;
        if status.starts_with("HTTP/1.1 200") {
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_source_that_fails_is_reported_without_its_detail() {
    let served = serve(Arc::new(Down(watch::channel(0).0))).await;
    for path in ["/runs/1", "/api/runs", "/api/runs/1", "/api/workers", "/events/runs/1"] {
        let answer = ask(served.at, path, "").await;
        assert!(answer.starts_with("HTTP/1.1 503 "), "{path}: {answer}");
        assert!(answer.contains("retry-after: 5"), "{path}: {answer}");
        assert!(!answer.contains("secret"), "{path}: {answer}");
    }
}
