//! Whose engine built in plays otherwise gets nothing that is played with it.

use super::House;
use anyhow::Result;
use proto::v1;
use proto::v1::work_response::Message as Response;
use testkit::{Database, Puppet, specs};

async fn said(house: &House, number: u8, change: impl Fn(&mut v1::Hello)) -> Result<Response> {
    let mut hello = specs::hello(number);
    change(&mut hello);
    testkit::admit(house.url(), &testkit::key(number), v1::Role::Worker).await?;
    let mut worker = Puppet::join_as(house.url(), number, hello).await?;
    worker.want(1).await?;
    worker.hear().await
}

#[tokio::test]
async fn i16_a_version_apart_plays_on_where_the_engine_is_the_same_and_not_where_it_differs()
-> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    house.create(specs::fixed_match(40, 4), &specs::book_text()).await?;
    // The number of the program decides nothing; games and engines of later versions are passed over.
    let later = said(&house, 1, |hello| {
        hello.software_version = "99.1.0".to_owned();
        let game = v1::EngineOffer { game: 77, engine: "builtin".to_owned(), ..Default::default() };
        let other = v1::EngineOffer { engine: "nnue".to_owned(), ..hello.engines[0].clone() };
        hello.engines.extend([game, other]);
    });
    assert!(matches!(later.await?, Response::Lease(_)));
    let earlier = said(&house, 2, |hello| hello.software_version = "0.0.1".to_owned());
    assert!(matches!(earlier.await?, Response::Lease(_)));
    for (number, bench) in [(3, 1), (4, 0)] {
        let other = said(&house, number, |hello| hello.engines[0].bench_nodes = bench).await?;
        let Response::Idle(idle) = other else { panic!("bench {bench} gets work: {other:?}") };
        assert_eq!(idle.reason(), v1::IdleReason::OtherEngine);
    }
    house.stop().await
}
