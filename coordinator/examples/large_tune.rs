//! A house with a tune of 10,000 parameters that goes on by itself, for whoever looks at its page: the
//! walk through the pages with a real browser does.
//!
//!     cargo run -p coordinator --example large_tune
//!
//! Real Postgres, real gRPC; the worker's results are invented. Prints where the pages are and the run's
//! number as one JSON object, and ends with its standard input.

use anyhow::Result;
use keys::Address;
use proto::v1;
use std::io::Read;
use std::time::Duration;
use testkit::{Database, House, Puppet, specs};

const PARAMETERS: usize = 10_000;
/// Reports before anybody looks.
const REPORTS: usize = 120;

fn main() -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(run())
}

async fn run() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let mut spec = specs::tune(1_000_000, 2);
    "ten thousand weights".clone_into(&mut spec.name);
    let Some(v1::run_spec::Job::Tune(tune)) = &mut spec.job else { anyhow::bail!("a tune") };
    tune.parameters = (0..PARAMETERS)
        .map(|index| v1::ParameterDef {
            name: format!("weight_of_{index}"),
            kind: v1::ParameterKind::Float.into(),
            start: 100.0,
            min: -1000.0,
            max: 1000.0,
            c_end: 8.0,
            r_end: 0.01,
        })
        .collect();
    let names: Vec<String> = tune.parameters.iter().map(|p| p.name.clone()).collect();
    let run = house.create(spec, &specs::book_text()).await?;
    testkit::admit(house.url(), &testkit::key(1), v1::Role::Worker).await?;
    let mut hello = specs::hello(1);
    hello.engines[0].parameters = names;
    let mut puppet = Puppet::join_as(house.url(), 1, hello).await?;
    for _ in 0..REPORTS {
        puppet.play_one(specs::outcome).await?;
    }
    let address: Address = house.url().parse()?;
    println!("{{\"url\":\"http://{}\",\"run\":{run}}}", address.authority());
    let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::pin!(end);
    loop {
        tokio::select! {
            _ = &mut end => break,
            () = tokio::time::sleep(Duration::from_millis(300)) => {}
        }
        puppet.play_one(specs::outcome).await?;
    }
    drop(puppet);
    house.stop().await
}
