//! Whose results count, against a real Postgres over real gRPC.

use anyhow::{Context, Result};
use model::{GameScore, PairOutcome, RunId};
use prost::Message;
use proto::v1;
use proto::v1::trust_service_client::TrustServiceClient;
use proto::v1::work_response::Message as Response;
use sqlx::Row;
use testkit::{Database, House, specs};
use tonic::Code;
use tonic::transport::Channel;

const ALL_WON: PairOutcome = PairOutcome { first: GameScore::Win, second: GameScore::Win };

async fn trust(house: &House) -> Result<TrustServiceClient<Channel>> {
    Ok(TrustServiceClient::new(proto::connect(house.url(), Some(&testkit::admin())).await?))
}

fn exclude(worker_id: i64, run: Option<RunId>) -> v1::ExcludeWorkerRequest {
    v1::ExcludeWorkerRequest {
        worker_id,
        run_id: run.map_or(0, |run| run.0),
        reason: "it wins too much".to_owned(),
        ..Default::default()
    }
}

fn include(worker_id: i64) -> v1::IncludeWorkerRequest {
    let reason = "it was a new machine".to_owned();
    v1::IncludeWorkerRequest { worker_id, reason, ..Default::default() }
}

/// The same to the byte.
fn same(found: &[String], expected: &[String], when: &str) {
    assert_eq!(found.len(), expected.len());
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(found == expected, "{when}, {place}: {found:.2000}\nis not {expected:.2000}");
    }
}

/// Everything that is derived of these runs: rows, states, views. The speed is live, and a run says
/// when it began by the coordinator's clock until that is started again.
async fn derived(house: &House, database: &Database, runs: &[RunId]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut connection = database.connection().await?;
    for &id in runs {
        let mut view = house.run(id).await?;
        view.pairs_per_second = 0.0;
        (view.created_at_unix_ms, view.ended_at_unix_ms) = (0, 0);
        all.push(format!("{:?}", view.encode_to_vec()));
        let (matches, state) = house.replay(id).await?;
        assert!(matches, "run {id} is stored as its ledger counts");
        all.push(state);
        let row = sqlx::query(
            "SELECT row(state, verdict, ended_at, ll, ld, dd, dw, ww, wins, draws, losses, llr,
                        point, last_report_id)::text FROM runs WHERE id = $1",
        );
        all.push(row.bind(id.0).fetch_one(&mut connection).await?.try_get(0)?);
        let progress = "SELECT string_agg(p::text, ' ' ORDER BY report_id)
                        FROM dashboard.run_progress p WHERE run_id = $1";
        let text: Option<String> =
            sqlx::query(progress).bind(id.0).fetch_one(&mut connection).await?.try_get(0)?;
        all.push(text.unwrap_or_default());
    }
    Ok(all)
}

#[tokio::test]
async fn i13_exclude_then_include_is_identity_on_every_derived_figure() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let book = specs::book_text();
    let (mut one, mut two) = (house.puppet(1).await?, house.puppet(2).await?);
    let mut runs = Vec::new();
    for spec in [
        specs::tune(40, 4),
        specs::regression(40, 4),
        specs::test(400, 4),
        specs::fixed_match(40, 4),
        specs::race(&[60.0, 70.0], v1::RaceStop::All, 400, 4),
    ] {
        let run = house.create(spec, &book).await?;
        for _ in 0..3 {
            one.play_one(specs::outcome).await?;
            two.play_one(|_| ALL_WON).await?;
        }
        let request = v1::PauseRunRequest { run_id: run.0, reason: "the next".to_owned() };
        house.control().await?.pause_run(request).await?;
        runs.push(run);
    }
    // One that is over by its own verdict, and one by its budget.
    let decided = house.create(specs::test(600, 6), &book).await?;
    while house.run(decided).await?.state() == v1::RunState::Running {
        one.play_one(specs::outcome).await?;
        two.play_one(|_| ALL_WON).await?;
    }
    let spent = house.create(specs::fixed_match(8, 4), &book).await?;
    one.play_one(specs::outcome).await?;
    two.play_one(|_| ALL_WON).await?;
    runs.extend([decided, spent]);

    let before = derived(&house, &database, &runs).await?;
    let mut trust = trust(&house).await?;
    let liar = two.worker_id;
    // A preview changes nothing and says what would be.
    let mut request = exclude(liar, None);
    request.preview = true;
    let preview = trust.exclude_worker(request).await?.into_inner();
    assert_eq!(preview.effects.len(), runs.len());
    same(&derived(&house, &database, &runs).await?, &before, "after a preview");
    let done = trust.exclude_worker(exclude(liar, None)).await?.into_inner();
    assert_eq!(done.effects.len(), preview.effects.len());
    let without = derived(&house, &database, &runs).await?;
    for (place, run) in runs.iter().enumerate() {
        for figure in 4 * place..4 * place + 4 {
            assert!(without[figure] != before[figure], "run {run}, {figure}");
        }
        let shown = house.run(*run).await?;
        let effect =
            done.effects.iter().find_map(|e| e.after.as_ref().filter(|r| r.run_id == run.0));
        let effect = effect.context("each run is shown")?;
        assert_eq!((&effect.tally, effect.excluded_pairs), (&shown.tally, shown.excluded_pairs));
        assert!(shown.excluded_pairs > 0 && shown.excluded_reports > 0);
    }

    // A verdict stays, with the ratio beside it that it would have now.
    let shown = house.run(decided).await?;
    let Some(v1::run::Progress::Test(test)) = &shown.progress else { panic!("a test") };
    assert_eq!(test.verdict(), v1::Verdict::Accepted);
    assert!(test.llr < test.upper && shown.recorded_llr.is_some_and(|then| then > test.llr));
    assert!(shown.warning.starts_with("accepted with "), "{}", shown.warning);

    // The same state after a kill, from snapshots and tails.
    house.cut();
    let house = House::start(&database).await?;
    same(&derived(&house, &database, &runs).await?, &without, "after a kill");
    let mut trust = self::trust(&house).await?;
    trust.include_worker(include(liar)).await?;
    same(&derived(&house, &database, &runs).await?, &before, "included again");
    let again = trust.include_worker(include(liar)).await.unwrap_err();
    assert_eq!(again.code(), Code::FailedPrecondition, "{again}");

    // What was done stands for ever.
    let list = trust.list_exclusions(v1::ListExclusionsRequest {}).await?.into_inner();
    let [made] = &list.exclusions[..] else { panic!("one exclusion: {list:?}") };
    let (why, end) = (made.made.as_ref().context("a reason")?, made.lifted.as_ref());
    assert_eq!((why.author.as_str(), why.reason.as_str()), ("tests", "it wins too much"));
    assert_eq!(end.map(|end| end.reason.as_str()), Some("it was a new machine"));
    let mut connection = database.connection().await?;
    for sql in ["DELETE FROM exclusions", "UPDATE inclusions SET reason = ''"] {
        let refused = sqlx::query(sql).execute(&mut connection).await.unwrap_err().to_string();
        assert!(refused.contains("only added to"), "{refused}");
    }
    house.stop().await
}

#[tokio::test]
async fn who_is_excluded_gets_no_pairs_and_others_make_up_for_its_own() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let book = specs::book_text();
    let run = house.create(specs::fixed_match(12, 4), &book).await?;
    let (mut honest, mut liar) = (house.puppet(1).await?, house.puppet(2).await?);
    liar.play_one(|_| ALL_WON).await?;
    liar.want(1).await?;
    let lease = liar.lease().await?;
    let mut trust = trust(&house).await?;
    trust.exclude_worker(exclude(liar.worker_id, Some(run))).await?;
    // The same again, as after a lost answer, is no second row.
    trust.exclude_worker(exclude(liar.worker_id, Some(run))).await?;
    assert_eq!(database.number("SELECT count(*) FROM exclusions").await?, 1);
    let Response::Cancel(cancel) = liar.hear().await? else { panic!("its lease is taken back") };
    assert_eq!(cancel.lease_id, lease.lease_id);
    let late = specs::whole_report(&lease, |_| ALL_WON);
    assert_eq!(liar.report(late).await?, v1::AckOutcome::Stale);
    liar.want(1).await?;
    let Response::Idle(idle) = liar.hear().await? else { panic!("it gets work") };
    assert_eq!(idle.reason(), v1::IdleReason::Excluded);
    // In other runs it plays on.
    let other = house.create(specs::tune(4, 4), &book).await?;
    assert_eq!(liar.lease().await?.run_id, other.0);

    // Twelve pairs count in the end, and sixteen were played.
    let request = v1::PauseRunRequest { run_id: other.0, reason: "this one first".to_owned() };
    house.control().await?.pause_run(request).await?;
    for _ in 0..3 {
        assert_eq!(honest.play_one(specs::outcome).await?, v1::AckOutcome::Merged);
    }
    let shown = house.run(run).await?;
    assert_eq!(shown.state(), v1::RunState::Finished);
    assert_eq!((shown.excluded_pairs, shown.excluded_reports), (4, 1));
    let cells = shown.tally.context("a tally")?.pentanomial_pairs;
    assert_eq!(cells.iter().sum::<u64>(), 12);
    assert_eq!(database.number("SELECT count(*) FROM pairs").await?, 16);
    assert!(house.replay(run).await?.0);
    house.stop().await
}

#[tokio::test]
async fn only_those_who_may_exclude_and_a_wrong_wish_is_told_why() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::fixed_match(8, 4), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    worker.play_one(specs::outcome).await?;
    let (author, reader) = (testkit::key(50), testkit::key(51));
    testkit::admit(house.url(), &author, v1::Role::Author).await?;
    testkit::admit(house.url(), &reader, v1::Role::ReadOnly).await?;
    let client = async |key| {
        anyhow::Ok(TrustServiceClient::new(proto::connect(house.url(), Some(key)).await?))
    };
    let (mut author, mut reader) = (client(&author).await?, client(&reader).await?);
    let one_run = || exclude(worker.worker_id, Some(run));
    for (status, code, part) in [
        (reader.exclude_worker(one_run()).await, Code::PermissionDenied, "needs author"),
        (
            author.exclude_worker(exclude(worker.worker_id, None)).await,
            Code::PermissionDenied,
            "only an admin",
        ),
        (author.exclude_worker(exclude(77, Some(run))).await, Code::NotFound, "worker 77"),
        (
            author.exclude_worker(exclude(worker.worker_id, Some(RunId(9)))).await,
            Code::NotFound,
            "run 9",
        ),
        (
            author
                .exclude_worker(v1::ExcludeWorkerRequest { reason: " ".into(), ..one_run() })
                .await,
            Code::InvalidArgument,
            "reason",
        ),
    ] {
        let status = status.unwrap_err();
        assert_eq!(status.code(), code, "{status}");
        assert!(status.message().contains(part), "{status}");
    }
    author.exclude_worker(one_run()).await?;
    assert_eq!(house.run(run).await?.excluded_pairs, 4);
    assert!(reader.list_exclusions(v1::ListExclusionsRequest {}).await.is_ok());
    house.stop().await
}
