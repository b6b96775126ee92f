//! I12: nothing is answered without a good key, each role may do what it may and no more, and a
//! revoked key is dead: its streams break and its leases return.

use anyhow::{Context, Result};
use keys::SecretKey;
use proto::v1;
use proto::v1::control_service_client::ControlServiceClient;
use testkit::{Database, House, Puppet, admin, admit, invite, key, specs};
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

/// Who may call what, said once more and apart from the coordinator's own table.
const ADMIN: &[&str] = &["admin"];
const AUTHORS: &[&str] = &["admin", "author"];
const READERS: &[&str] = &["admin", "author", "read-only"];
const WORKERS: &[&str] = &["worker"];
const ALL: &[&str] = &["admin", "author", "read-only", "worker"];
const ANY_KEY: &[&str] = &["admin", "author", "read-only", "worker", "unknown"];
const CALLS: &[(&str, &[&str])] = &[
    ("WorkerService/Work", WORKERS),
    ("WorkerService/Explain", WORKERS),
    ("ControlService/CreateRun", AUTHORS),
    ("ControlService/ListRuns", READERS),
    ("ControlService/GetRun", READERS),
    ("ControlService/PauseRun", AUTHORS),
    ("ControlService/ResumeRun", AUTHORS),
    ("ControlService/StopRun", AUTHORS),
    ("ControlService/ReplayRun", AUTHORS),
    ("ControlService/ListWorkers", READERS),
    ("ControlService/ForkRun", AUTHORS),
    ("ControlService/ExtendRun", AUTHORS),
    ("ControlService/ExplainRun", READERS),
    ("ControlService/WeighRun", AUTHORS),
    ("ControlService/ExportRun", READERS),
    ("ControlService/ExportGames", READERS),
    ("ControlService/WatchRun", READERS),
    // An empty message means every run, for which an author does not decide.
    ("TrustService/ExcludeWorker", ADMIN),
    ("TrustService/IncludeWorker", ADMIN),
    ("TrustService/GetWorker", READERS),
    ("TrustService/ListMismatches", READERS),
    ("TrustService/ListExclusions", READERS),
    ("TrustService/ReleaseWorker", ADMIN),
    ("EngineService/DownloadArtefact", WORKERS),
    ("EngineService/FindArtefact", AUTHORS),
    ("EngineService/ListEngines", READERS),
    ("EngineService/PublishEngine", AUTHORS),
    ("EngineService/UploadArtefact", AUTHORS),
    ("KeyService/Redeem", ANY_KEY),
    ("KeyService/WhoAmI", ALL),
    ("KeyService/SignIn", READERS),
    ("KeyService/Invite", ADMIN),
    ("KeyService/ListKeys", ADMIN),
    ("KeyService/RevokeKey", ADMIN),
];

/// Every call of the contract, from its own description.
fn contract() -> Vec<String> {
    use prost::Message;
    let set = prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS).expect("a description");
    let services = set.file.iter().flat_map(|file| &file.service);
    services
        .flat_map(|s| s.method.iter().map(move |m| format!("{}/{}", s.name(), m.name())))
        .collect()
}

/// Calls with one empty message; how it was answered.
async fn call(url: &str, key: Option<&SecretKey>, name: &str) -> Result<Option<Status>> {
    let mut client = tonic::client::Grpc::new(proto::connect(url, key).await?);
    client.ready().await?;
    let path = format!("/elomill.v1.{name}").parse()?;
    let request = Request::new(tokio_stream::once(()));
    let codec = ProstCodec::<(), ()>::default();
    Ok(match client.streaming(request, path, codec).await {
        Ok(answer) => answer.into_inner().message().await.err(),
        Err(status) => Some(status),
    })
}

fn is_refusal(status: &Status) -> bool {
    matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied)
}

#[tokio::test]
async fn i12_every_call_of_the_contract_asks_for_its_role() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let url = house.url();
    let mut listed: Vec<_> = CALLS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut known = contract();
    listed.sort();
    known.sort();
    assert_eq!(listed, known, "a call of the contract has no line in the table of this test");

    let roles = [
        ("author", key(101), v1::Role::Author),
        ("read-only", key(102), v1::Role::ReadOnly),
        ("worker", key(103), v1::Role::Worker),
    ];
    for (_, key, role) in &roles {
        admit(url, key, *role).await?;
    }
    let [(_, author, _), (_, reader, _), (_, worker, _)] = roles;
    let callers = [
        ("admin", Some(admin())),
        ("author", Some(author)),
        ("read-only", Some(reader)),
        ("worker", Some(worker)),
        ("unknown", Some(key(104))),
        ("without a key", None),
    ];
    for (name, allowed) in CALLS {
        for (who, key) in &callers {
            let answer = call(url, key.as_ref(), name).await?;
            let refused = answer.as_ref().is_some_and(is_refusal);
            assert_eq!(!refused, allowed.contains(who), "{name} by {who}: {answer:?}");
        }
    }
    let invented = call(url, Some(&admin()), "ControlService/Invented").await?;
    assert!(invented.is_some_and(|status| status.code() != Code::Ok));
    house.stop().await
}

#[tokio::test]
async fn i12_a_plain_connection_and_a_wrong_certificate_get_nothing() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let (origin, fingerprint) = house.url().split_once('#').context("a pinned address")?;
    let plain = origin.replace("https", "http");
    for (name, _) in CALLS {
        let status = call(&plain, None, name).await?.context("a refusal")?;
        assert_eq!(status.code(), Code::Unauthenticated, "{name}: {status}");
    }
    let wrong = format!("{origin}#{}", fingerprint.chars().rev().collect::<String>());
    let refused = proto::connect(&wrong, Some(&admin())).await.unwrap_err();
    let proto::ConnectError::Refused { source, .. } = &refused else { panic!("{refused:?}") };
    let text = source.to_string();
    assert!(text.contains(fingerprint) && text.contains("another coordinator"), "{text}");
    // No root of any system vouches for a certificate that was made here.
    let unpinned = proto::connect(origin, Some(&admin())).await.unwrap_err();
    assert!(matches!(unpinned, proto::ConnectError::Refused { .. }), "{unpinned:?}");
    house.stop().await
}

#[tokio::test]
async fn i12_an_invitation_admits_as_many_keys_as_it_says_and_says_why_not_more() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let redeem = async |number: u8, token: &proto::Bytes| -> Result<Result<v1::Key, Status>> {
        let request = v1::RedeemRequest { token: token.clone(), label: format!("key {number}") };
        let answer = house.keys(&key(number)).await?.redeem(request).await;
        Ok(answer.map(|answer| answer.into_inner().key.unwrap_or_default()))
    };
    let said = |status: Status| status.message().to_owned();

    let token = invite(house.url(), v1::Role::Worker, 2).await?;
    let first = redeem(1, &token).await??;
    assert_eq!((first.role(), first.owner.as_str()), (v1::Role::Worker, "tests"));
    // Again with the same key, as after a lost answer: the same, and counted once.
    assert_eq!(redeem(1, &token).await??, first);
    redeem(2, &token).await??;
    let third = redeem(3, &token).await?.map_err(said).unwrap_err();
    assert!(third.contains("used up: 2 of 2 keys"), "{third}");

    let token = invite(house.url(), v1::Role::Author, 9).await?;
    let other = redeem(1, &token).await?.map_err(said).unwrap_err();
    assert!(other.contains("has the role worker here already"), "{other}");
    let mut ledger = database.connection().await?;
    sqlx::query("UPDATE invites SET expires_at = now() - interval '3 hours'")
        .execute(&mut ledger)
        .await?;
    let late = redeem(4, &token).await?.map_err(said).unwrap_err();
    assert!(late.contains("expired 3 h ago by the coordinator's clock"), "{late}");

    let unknown = redeem(4, &vec![9; 16].into()).await?.map_err(said).unwrap_err();
    assert!(unknown.contains("no such invitation"), "{unknown}");
    let torn = redeem(4, &vec![9; 15].into()).await?.map_err(said).unwrap_err();
    assert!(torn.contains("copy the link whole"), "{torn}");
    // Nobody finds a token in the ledger.
    let kept: Vec<u8> = sqlx::query_scalar("SELECT token_sha256 FROM invites ORDER BY id DESC")
        .fetch_one(&mut ledger)
        .await?;
    assert_ne!(kept, token.to_vec());
    assert_eq!(database.number("SELECT count(*) FROM keys").await?, 3);
    house.stop().await
}

#[tokio::test]
async fn i12_a_revoked_worker_is_cut_off_and_its_leases_return() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    house.create(specs::tune(8, 4), &specs::book_text()).await?;
    let mut doomed = house.puppet(1).await?;
    doomed.want(1).await?;
    let lost = doomed.lease().await?;
    house.revoke(key(1).public()).await?;
    // Its stream ends without a farewell.
    while doomed.hear().await.is_ok() {}
    let again = Puppet::join(house.url(), 1, &[]).await.map(|_| ()).unwrap_err();
    let status = again.downcast_ref::<Status>().context("a status")?;
    assert_eq!(status.code(), Code::PermissionDenied);
    assert!(status.message().contains("was revoked: a test"), "{status}");
    // No invitation makes it good again.
    let anew = admit(house.url(), &key(1), v1::Role::Worker).await.unwrap_err();
    assert!(anew.to_string().contains("revoked and stays so"), "{anew}");
    // The same pairs go to another, with nothing expired or waited for.
    let mut other = house.puppet(2).await?;
    other.want(2).await?;
    let pairs = |lease: &v1::Lease| lease.openings.iter().map(|o| o.pair_index).collect::<Vec<_>>();
    let mut found = false;
    for _ in 0..2 {
        let lease = other.lease().await?;
        found |= (lease.epoch, pairs(&lease)) == (2, pairs(&lost));
    }
    assert!(found, "the pairs of the revoked worker are not leased again");
    let returned = "SELECT count(*) FROM leases WHERE state = 'returned' AND epoch = 1";
    assert_eq!(database.number(returned).await?, 1);
    house.stop().await
}

#[tokio::test]
async fn i12_a_key_that_is_revoked_in_the_ledger_loses_its_open_streams() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(8, 4), &specs::book_text()).await?;
    admit(house.url(), &key(5), v1::Role::ReadOnly).await?;
    let channel = proto::connect(house.url(), Some(&key(5))).await?;
    let request = v1::WatchRunRequest { run_id: run.0 };
    let mut watch = ControlServiceClient::new(channel).watch_run(request).await?.into_inner();
    assert!(watch.message().await?.is_some());
    // By another hand than this coordinator's, which finds it by itself.
    sqlx::query("UPDATE keys SET revoked_at = now() WHERE label = 'of a test'")
        .execute(&mut database.connection().await?)
        .await?;
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), async {
        while watch.message().await.is_ok_and(|message| message.is_some()) {}
    });
    ended.await.context("the stream goes on")?;
    // Good again it cannot become.
    let back = sqlx::query("UPDATE keys SET revoked_at = NULL WHERE label = 'of a test'")
        .execute(&mut database.connection().await?)
        .await;
    assert!(back.is_err());
    house.stop().await
}

#[tokio::test]
async fn i12_an_admin_cannot_revoke_itself() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let refused = house.revoke(admin().public()).await.unwrap_err().to_string();
    assert!(refused.contains("cannot revoke itself"), "{refused}");
    house.stop().await
}
