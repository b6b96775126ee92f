//! Whose results count, against a real Postgres over real gRPC.

mod arbiters;
mod engines;

use anyhow::{Context, Result};
use coordinator::dispatch::audits::Auditors;
use model::{GameScore, PairOutcome, RunId};
use prost::Message;
use proto::v1;
use proto::v1::control_service_client::ControlServiceClient;
use proto::v1::trust_service_client::TrustServiceClient;
use proto::v1::work_request::Message as Request;
use proto::v1::work_response::Message as Response;
use sqlx::Row;
use testkit::{Database, House, Puppet, specs};
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

/// A coordinator on which any other worker plays games again.
async fn audited_house(database: &Database, auditors: Auditors) -> Result<House> {
    let mut settings = testkit::settings(database.url())?;
    settings.auditors = auditors;
    House::start_with(settings).await
}

async fn worker(house: &House, id: i64) -> Result<v1::Worker> {
    let list = house.control().await?.list_workers(v1::ListWorkersRequest {}).await?;
    let workers = list.into_inner().workers;
    workers.into_iter().find(|worker| worker.worker_id == id).context("a known worker")
}

/// A worker of another owner than the usual one.
async fn of_owner(house: &House, number: u8, owner: &str) -> Result<Puppet> {
    let request = v1::InviteRequest {
        owner: owner.to_owned(),
        role: v1::Role::Worker.into(),
        expires_in_seconds: 3600,
        uses: 1,
    };
    let token = house.keys(&testkit::admin()).await?.invite(request).await?.into_inner().token;
    let mut keys = house.keys(&testkit::key(number)).await?;
    keys.redeem(v1::RedeemRequest { token, label: "a machine".to_owned() }).await?;
    house.puppet(number).await
}

/// Plays whatever comes until there is nothing more; how many leases that were.
async fn play_all(worker: &mut Puppet, outcome: fn(u64) -> PairOutcome) -> Result<usize> {
    let mut leases = 0;
    loop {
        worker.want(1).await?;
        let lease = loop {
            match worker.hear().await? {
                Response::Lease(lease) => break lease,
                Response::Idle(_) => return Ok(leases),
                _ => {}
            }
        };
        leases += 1;
        worker.report(specs::whole_report(&lease, outcome)).await?;
    }
}

#[tokio::test]
async fn games_are_played_again_by_another_and_count_once() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Workers).await?;
    // Both are known before anything is played.
    let (mut one, mut two) = (house.puppet(1).await?, house.puppet(2).await?);
    let run = house.create(specs::fixed_match(8, 4), &specs::book_text()).await?;
    one.play_one(specs::outcome).await?;
    one.play_one(specs::outcome).await?;
    assert_eq!(house.run(run).await?.state(), v1::RunState::Finished);
    assert_eq!(database.number("SELECT count(*) FROM audits WHERE state = 'wanted'").await?, 8);
    // A kill loses none of them, and a run that is over is played again all the same.
    house.cut();
    let house = audited_house(&database, Auditors::Workers).await?;
    drop((one, two));
    let mut one = house.puppet(1).await?;
    assert_eq!(play_all(&mut one, specs::outcome).await?, 0, "nobody judges himself");
    two = house.puppet(2).await?;
    assert_eq!(play_all(&mut two, specs::outcome).await?, 2);
    let shown = house.run(run).await?;
    assert_eq!((shown.audited_pairs, shown.mismatched_pairs), (8, 0));
    assert_eq!(shown.tally.context("a tally")?.pentanomial_pairs.iter().sum::<u64>(), 8);
    assert_eq!(database.number("SELECT count(*) FROM pairs").await?, 8);
    assert_eq!(database.number("SELECT count(*) FROM audits WHERE claimed IS NULL").await?, 8);
    let known = worker(&house, one.worker_id).await?;
    assert_eq!((known.audited_pairs, known.mismatched_pairs), (8, 0));
    assert_eq!(worker(&house, two.worker_id).await?.audited_pairs, 0);
    assert!(house.replay(run).await?.0);
    house.stop().await
}

#[tokio::test]
async fn who_lies_is_found_and_held_until_somebody_has_looked() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Workers).await?;
    let (mut liar, mut honest) = (house.puppet(1).await?, house.puppet(2).await?);
    let run = house.create(specs::fixed_match(40, 4), &specs::book_text()).await?;
    // Legal games with results of its own choice.
    liar.play_one(|_| ALL_WON).await?;
    let leases = play_all(&mut honest, specs::outcome).await?;
    // Nine leases of the run, and the one that the liar had played.
    assert_eq!(leases, 10);
    let known = worker(&house, liar.worker_id).await?;
    assert!(known.mismatched_pairs >= 3, "{known:?}");
    assert!(known.on_hold.contains("played again by worker 2"), "{}", known.on_hold);
    // Its pairs count all the same: a person excludes.
    assert_eq!(house.run(run).await?.excluded_pairs, 0);
    house.create(specs::fixed_match(8, 4), &specs::book_text()).await?;
    liar.want(1).await?;
    let Response::Idle(idle) = liar.hear().await? else { panic!("it gets work") };
    assert_eq!(idle.reason(), v1::IdleReason::OnHold);

    // Both games of a pair, side by side.
    let mut trust = trust(&house).await?;
    let request = v1::GetWorkerRequest { worker_id: liar.worker_id };
    let shown = trust.get_worker(request).await?.into_inner();
    let mismatch = shown.mismatches.first().context("a mismatch")?;
    assert_eq!((mismatch.run_id, mismatch.auditor_id), (run.0, honest.worker_id));
    let game = |pair: &Option<v1::PairRecord>| {
        let pair = pair.as_ref().context("a pair")?;
        let first = pair.candidate_first.clone().context("a game")?;
        anyhow::Ok((pair.pair_index, first.moves + &pair.base_first.clone().context("two")?.moves))
    };
    let (claimed, found) = (game(&mismatch.claimed)?, game(&mismatch.found)?);
    assert_eq!(claimed.0, found.0);
    assert_ne!(claimed.1, found.1);
    assert!(mismatch.difference.contains("half-move"), "{}", mismatch.difference);

    // A hold outlives the coordinator and ends by a person's word alone.
    house.cut();
    let house = audited_house(&database, Auditors::Workers).await?;
    let mut liar = house.puppet(1).await?;
    liar.want(1).await?;
    let Response::Idle(idle) = liar.hear().await? else { panic!("it gets work") };
    assert_eq!(idle.reason(), v1::IdleReason::OnHold);
    let mut trust = self::trust(&house).await?;
    let release = v1::ReleaseWorkerRequest {
        worker_id: liar.worker_id,
        reason: "its memory was replaced".to_owned(),
    };
    trust.release_worker(release.clone()).await?;
    // First of all it plays games of the honest one again.
    assert_eq!(liar.lease().await?.run_id, run.0);
    let again = trust.release_worker(release).await.unwrap_err();
    assert_eq!(again.code(), Code::FailedPrecondition, "{again}");
    let why = "SELECT count(*) FROM holds WHERE released_by = 'tests' AND released_reason <> ''";
    assert_eq!(database.number(why).await?, 1);
    house.stop().await
}

#[tokio::test]
async fn workers_of_one_owner_do_not_vouch_for_each_other_where_there_is_another() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Auto).await?;
    let (mut one, mut friend) = (house.puppet(1).await?, house.puppet(2).await?);
    let mut stranger = of_owner(&house, 3, "somebody else").await?;
    house.create(specs::fixed_match(4, 4), &specs::book_text()).await?;
    one.play_one(specs::outcome).await?;
    assert_eq!(play_all(&mut friend, specs::outcome).await?, 0);
    assert_eq!(play_all(&mut stranger, specs::outcome).await?, 1);
    assert_eq!(worker(&house, one.worker_id).await?.audited_pairs, 4);
    assert_eq!(worker(&house, stranger.worker_id).await?.owner, "somebody else");
    house.stop().await
}

#[tokio::test]
async fn a_check_that_nobody_finishes_goes_to_another_and_a_lie_in_it_is_refused() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Workers).await?;
    let (mut one, mut two) = (house.puppet(1).await?, house.puppet(2).await?);
    house.create(specs::fixed_match(4, 4), &specs::book_text()).await?;
    one.play_one(specs::outcome).await?;
    two.want(1).await?;
    let check = two.lease().await?;
    // Half of it, and the rest given back.
    let half = specs::report(&check, 2, 0, specs::outcome);
    assert_eq!(two.report(half.clone()).await?, v1::AckOutcome::Merged);
    assert_eq!(two.report(half).await?, v1::AckOutcome::Duplicate);
    let back = v1::ReturnLease {
        lease_id: check.lease_id,
        epoch: check.epoch,
        reason: v1::ReturnReason::Shutdown.into(),
        detail: String::new(),
    };
    two.say(Request::ReturnLease(back)).await?;
    let mut three = house.puppet(3).await?;
    three.want(1).await?;
    let rest = three.lease().await?;
    assert_eq!(rest.openings, check.openings[2..]);
    assert_ne!(rest.lease_id, check.lease_id);
    let mut lie = specs::whole_report(&rest, specs::outcome);
    lie.pairs[0].base_first.as_mut().context("a game")?.moves = "zz".to_owned();
    assert_eq!(three.report(lie).await?, v1::AckOutcome::Invalid);
    assert_eq!(worker(&house, three.worker_id).await?.refused_reports, 1);
    assert_eq!(play_all(&mut two, specs::outcome).await?, 1);
    assert_eq!(worker(&house, one.worker_id).await?.audited_pairs, 4);
    // What is said late about a check that is over changes nothing.
    let late = three.report(specs::whole_report(&rest, specs::outcome)).await?;
    assert_eq!(late, v1::AckOutcome::Stale);
    house.stop().await
}

#[tokio::test]
async fn the_base_plays_itself_besides_and_nothing_of_it_counts() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let mut spec = specs::fixed_match(200, 4);
    spec.canaries_per_million = Some(200_000);
    let run = house.create(spec, &specs::book_text()).await?;
    let mut one = house.puppet(1).await?;
    let (mut canaries, mut pairs) = (0, 0);
    while house.run(run).await?.state() == v1::RunState::Running {
        one.want(1).await?;
        let lease = one.lease().await?;
        if lease.candidate == lease.base {
            canaries += 1;
        } else {
            pairs += lease.openings.len();
        }
        let report = specs::whole_report(&lease, specs::outcome);
        assert_eq!(one.report(report).await?, v1::AckOutcome::Merged);
    }
    assert_eq!(pairs, 200);
    // One in five of fifty leases, by chance.
    assert!((1..30).contains(&canaries), "{canaries}");
    let ended = "SELECT count(*) FROM canaries WHERE ended_at IS NOT NULL
                 AND ll + ld + dd + dw + ww = 4";
    assert_eq!(database.number(ended).await?, canaries);
    assert_eq!(database.number("SELECT count(*) FROM pairs").await?, 200);
    assert!(house.replay(run).await?.0);
    house.stop().await
}

#[tokio::test]
async fn who_is_too_slow_waits_while_somebody_faster_is_there() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    house.create(specs::fixed_match(400, 4), &specs::book_text()).await?;
    let speed = |nodes_per_second, playing_games| {
        Request::Progress(v1::Progress { playing_games, nodes_per_second, spooled_pairs: 0 })
    };
    let (mut fast, mut slow) = (house.puppet(1).await?, house.puppet(2).await?);
    for worker in [&mut fast, &mut slow] {
        worker.play_one(specs::outcome).await?;
    }
    // A pair takes 200 nodes: more than an hour of the slow one, where half an hour is allowed.
    fast.say(speed(1_000_000, 2)).await?;
    fast.play_one(specs::outcome).await?;
    slow.say(speed(1, 20)).await?;
    slow.want(1).await?;
    let Response::Idle(idle) = slow.hear().await? else { panic!("it gets work") };
    assert_eq!(idle.reason(), v1::IdleReason::TooSlow);
    // Better slowly than not at all.
    drop(fast);
    slow.lease().await?;
    house.stop().await
}

#[tokio::test]
async fn one_owners_word_stops_no_run_of_others() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let (mut one, mut friend) = (house.puppet(1).await?, house.puppet(2).await?);
    let mut other = of_owner(&house, 3, "somebody else").await?;
    let mut unwilling = of_owner(&house, 4, "a third").await?;
    let run = house.create(specs::fixed_match(12, 4), &specs::book_text()).await?;
    let cannot = async |worker: &mut Puppet, reason: v1::ReturnReason| {
        worker.want(1).await?;
        let lease = worker.lease().await?;
        let back = v1::ReturnLease {
            lease_id: lease.lease_id,
            epoch: lease.epoch,
            reason: reason.into(),
            detail: "found 2000 nodes".to_owned(),
        };
        worker.say(Request::ReturnLease(back)).await?;
        // Its own word is believed of itself: it gets no more of it.
        worker.want(1).await?;
        let Response::Idle(idle) = worker.hear().await? else { panic!("it gets it again") };
        anyhow::Ok(idle.reason())
    };
    for worker in [&mut one, &mut friend] {
        let reason = cannot(worker, v1::ReturnReason::EngineSignature).await?;
        assert_eq!(reason, v1::IdleReason::Unplayable);
        assert_eq!(house.run(run).await?.state(), v1::RunState::Running);
    }
    // Who does not want to play it says nothing of the run.
    cannot(&mut unwilling, v1::ReturnReason::EngineRefused).await?;
    assert_eq!(house.run(run).await?.state(), v1::RunState::Running);
    let explain = v1::ExplainRunRequest { run_id: run.0 };
    let share = house.control().await?.explain_run(explain).await?.into_inner().share;
    let share = share.context("its terms")?;
    assert_eq!((share.workers, share.able_workers, share.hindrances[0].workers), (4, 1, 3));
    assert_eq!((share.owner.as_str(), share.due_share), ("tests", 1.0));

    cannot(&mut other, v1::ReturnReason::EngineSignature).await?;
    let shown = house.run(run).await?;
    assert_eq!(shown.state(), v1::RunState::Paused);
    assert!(shown.state_reason.starts_with("workers of 2 owners cannot"), "{}", shown.state_reason);
    house.stop().await
}

#[tokio::test]
async fn authors_share_evenly_and_their_runs_by_weight() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let author = testkit::key(60);
    let token = {
        let request = v1::InviteRequest {
            owner: "anna".to_owned(),
            role: v1::Role::Author.into(),
            expires_in_seconds: 3600,
            uses: 1,
        };
        house.keys(&testkit::admin()).await?.invite(request).await?.into_inner().token
    };
    let mut keys = house.keys(&author).await?;
    keys.redeem(v1::RedeemRequest { token, label: "desk".to_owned() }).await?;
    let of_anna = async |weight: f64, key: &str| {
        let mut spec = specs::fixed_match(4_000, 4);
        spec.weight = weight;
        let request = v1::CreateRunRequest {
            spec: Some(spec),
            book: specs::book_text().into_bytes().into(),
            idempotency_key: format!("of-anna-{key}"),
        };
        let channel = proto::connect(house.url(), Some(&author)).await?;
        let made = ControlServiceClient::new(channel).create_run(request).await?;
        anyhow::Ok(made.into_inner().run_id)
    };
    let light = of_anna(1.0, "light").await?;
    let heavy = of_anna(3.0, "heavy").await?;
    let other = house.create(specs::fixed_match(4_000, 4), &specs::book_text()).await?.0;
    let mut worker = house.puppet(1).await?;
    let mut leases = std::collections::BTreeMap::from([(light, 0), (heavy, 0), (other, 0)]);
    for _ in 0..160 {
        worker.want(1).await?;
        let lease = worker.lease().await?;
        *leases.get_mut(&lease.run_id).context("one of three")? += 1;
        // Draws: every pair takes the same.
        worker.report(specs::whole_report(&lease, |_| specs::outcome(4))).await?;
    }
    for (run, due) in [(light, 20.0), (heavy, 60.0), (other, 80.0)] {
        let had = f64::from(leases[&run]);
        assert!((had / due - 1.0).abs() <= 0.1, "run {run} had {had} of {due}: {leases:?}");
    }
    house.stop().await
}
