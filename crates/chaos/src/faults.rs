//! What is done to the cluster, one fault at a time or two, drawn from the seed.

use crate::history::{Event, History};
use crate::proxy::Weather;
use crate::world::World;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::{Connection, PgConnection};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// One kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    KillCoordinator,
    StopCoordinator,
    KillWorker,
    StopWorker,
    KillPostgres,
    EndBackends,
    Slow,
    Silence,
    /// What goes one way alone is held.
    OneWay,
    /// No coordinator can be reached.
    Nobody,
    /// The network comes and goes.
    Flap,
    Cut,
    Reset,
    /// A coordinator does not reach the database, or waits long for it.
    CutFromDatabase,
    SlowDatabase,
    FillDisk,
}

const ALL: [Fault; 16] = [
    Fault::KillCoordinator,
    Fault::StopCoordinator,
    Fault::KillWorker,
    Fault::StopWorker,
    Fault::KillPostgres,
    Fault::EndBackends,
    Fault::Slow,
    Fault::Silence,
    Fault::OneWay,
    Fault::Nobody,
    Fault::Flap,
    Fault::Cut,
    Fault::Reset,
    Fault::CutFromDatabase,
    Fault::SlowDatabase,
    Fault::FillDisk,
];

impl Fault {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fault::KillCoordinator => "kill -9 of a coordinator",
            Fault::StopCoordinator => "SIGSTOP of a coordinator",
            Fault::KillWorker => "kill -9 of a worker",
            Fault::StopWorker => "SIGSTOP of a worker",
            Fault::KillPostgres => "kill -9 of Postgres",
            Fault::EndBackends => "backends terminated",
            Fault::Slow => "delays",
            Fault::Silence => "a silent network",
            Fault::OneWay => "a network that is silent one way",
            Fault::Nobody => "all coordinators out of reach",
            Fault::Flap => "a network that comes and goes",
            Fault::CutFromDatabase => "a coordinator cut off from the database",
            Fault::SlowDatabase => "a slow database",
            Fault::Cut => "connections cut",
            Fault::Reset => "connections reset",
            Fault::FillDisk => "a worker's disk full",
        }
    }
}

/// Faults until this time; how often each came, and how long nobody served after each kill of the
/// leader.
pub(crate) async fn storm(
    world: &mut World,
    history: &History,
    rng: &mut ChaCha8Rng,
    until: Instant,
) -> anyhow::Result<(BTreeMap<Fault, u32>, Vec<Duration>)> {
    let mut counts = BTreeMap::new();
    let mut gaps = Vec::new();
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(rng.random_range(200..2500))).await;
        let fault = ALL[rng.random_range(0..ALL.len())];
        let pause = Duration::from_millis(rng.random_range(50..4000));
        if fault == Fault::FillDisk && world.small_disk.is_none() {
            continue;
        }
        history.note("storm", Event::Fault { what: fault.name().to_owned() })?;
        *counts.entry(fault).or_insert(0) += 1;
        if let Some(gap) = strike(world, rng, fault, pause).await? {
            gaps.push(gap);
        }
        world.heal()?;
    }
    Ok((counts, gaps))
}

/// Makes one fault, for as long as it lasts.
async fn strike(
    world: &mut World,
    rng: &mut ChaCha8Rng,
    fault: Fault,
    pause: Duration,
) -> anyhow::Result<Option<Duration>> {
    let coordinator = rng.random_range(0..world.coordinators.len());
    let worker = rng.random_range(0..world.workers.len());
    match fault {
        Fault::KillCoordinator => {
            let leads = world.leader().await == Some(coordinator);
            let began = Instant::now();
            world.coordinators[coordinator].kill().await?;
            if leads {
                while world.leader().await.is_none() {
                    anyhow::ensure!(began.elapsed() < Duration::from_secs(60), "nobody takes over");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                return Ok(Some(began.elapsed()));
            }
        }
        Fault::StopCoordinator => {
            world.coordinators[coordinator].signal(Signal::STOP)?;
            // Now and then for longer than a standby has patience.
            let longer =
                if rng.random_bool(0.3) { Duration::from_secs(12) } else { Duration::ZERO };
            tokio::time::sleep(pause + longer).await;
        }
        Fault::KillWorker => {
            world.workers[worker].kill().await?;
            tokio::time::sleep(pause / 4).await;
        }
        Fault::StopWorker => {
            world.workers[worker].signal(Signal::STOP)?;
            tokio::time::sleep(2 * pause).await;
        }
        Fault::KillPostgres => {
            if let Some(pid) = Pid::from_raw(world.postgres.pid()) {
                kill_process(pid, Signal::KILL)?;
            }
            tokio::time::sleep(pause / 4).await;
            let began = Instant::now();
            // It dies a moment after the signal, and what it was writing takes a while to be read.
            loop {
                let revived = tokio::task::block_in_place(|| world.postgres.restart_if_dead());
                match revived {
                    Ok(pgbox::Revival::Alive) | Err(_)
                        if began.elapsed() < Duration::from_secs(60) =>
                    {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                    Ok(_) => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Fault::EndBackends => {
            let mut connection = PgConnection::connect(&world.database).await?;
            sqlx::query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE application_name LIKE 'elomill%' AND random() < $1",
            )
            .bind(if rng.random_bool(0.5) { 1.0 } else { 0.3 })
            .execute(&mut connection)
            .await?;
        }
        Fault::Slow => {
            let delay = Duration::from_millis(rng.random_range(5..200));
            world.proxies[coordinator].set(Weather::Slow(delay));
            tokio::time::sleep(pause).await;
        }
        Fault::Silence => {
            world.proxies[coordinator].set(Weather::Silent);
            tokio::time::sleep(2 * pause).await;
        }
        Fault::OneWay => {
            let weather = if rng.random_bool(0.5) { Weather::Deaf } else { Weather::Mute };
            world.proxies[coordinator].set(weather);
            tokio::time::sleep(2 * pause).await;
        }
        Fault::Nobody => {
            for proxy in &world.proxies {
                proxy.set(Weather::Silent);
            }
            tokio::time::sleep(2 * pause).await;
        }
        Fault::Flap => {
            for _ in 0..rng.random_range(3..15) {
                let weather = [Weather::Silent, Weather::Cut, Weather::Reset, Weather::Mute]
                    [rng.random_range(0..4)];
                let (bad, good) = (rng.random_range(10..500), rng.random_range(10..300));
                world.proxies[coordinator].set(weather);
                tokio::time::sleep(Duration::from_millis(bad)).await;
                world.proxies[coordinator].set(Weather::Clear);
                tokio::time::sleep(Duration::from_millis(good)).await;
            }
        }
        Fault::CutFromDatabase => {
            // Held connections look as if the database took its time; ended ones do not.
            let weather = [Weather::Silent, Weather::Mute, Weather::Reset][rng.random_range(0..3)];
            world.database_proxies[coordinator].set(weather);
            let longer =
                if rng.random_bool(0.3) { Duration::from_secs(12) } else { Duration::ZERO };
            tokio::time::sleep(pause + longer).await;
        }
        Fault::SlowDatabase => {
            let delay = Duration::from_millis(rng.random_range(2..60));
            world.database_proxies[coordinator].set(Weather::Slow(delay));
            tokio::time::sleep(2 * pause).await;
        }
        Fault::Cut | Fault::Reset => {
            let weather = if fault == Fault::Cut { Weather::Cut } else { Weather::Reset };
            world.proxies[coordinator].set(weather);
            tokio::time::sleep(pause / 8).await;
        }
        Fault::FillDisk => {
            if let Some(disk) = &world.small_disk {
                disk.fill()?;
            }
            tokio::time::sleep(2 * pause).await;
        }
    }
    Ok(None)
}
