//! Times the private Postgres on this machine, in milliseconds:
//! `cargo run --release -p pgbox --example timings`.

use std::time::Instant;

use pgbox::{Environment, Error, PgBox, Search, Settings};

fn main() -> Result<(), Error> {
    let env = Environment::read();
    let base = std::env::temp_dir().join(format!("elomill-timings-{}", std::process::id()));
    let search = Search::new(&env, &base);
    let found = timed("find the programs", || search.find())?;
    println!("  {} in {}", found.best().version, found.best().bin_dir.display());
    let settings = || Settings::new(&env, &base, found.clone());

    let postgres = timed("first start (initdb, synced)", || PgBox::start(settings()))?;
    timed("stop", || postgres.release())?;
    let postgres = timed("second start", || PgBox::start(settings()))?;
    let guest = timed("adopt a running one", || PgBox::start(settings()))?;
    guest.release()?;
    postgres.stop()?;
    std::fs::remove_dir_all(&base).map_err(|source| Error::Io {
        action: "remove",
        path: base.clone(),
        source,
    })?;

    for _ in 0..3 {
        let postgres = timed("throwaway start", PgBox::throwaway)?;
        timed("throwaway stop", || postgres.release())?;
    }
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{:>8.1}  {what}", start.elapsed().as_secs_f64() * 1000.0);
    result
}
