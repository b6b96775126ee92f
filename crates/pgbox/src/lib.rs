//! The private Postgres: find its programs, make a cluster, start it, adopt it, stop it.
//!
//! `elomill up` and `elomill demo` need a Postgres and should not ask their user for one. This
//! crate runs one in Elomill's own data directory: on a Unix socket only (no TCP port, no
//! password), as a user without privileges when started by root, and recovered by the next start
//! after anything was killed. With `--database-url` none of this is used.
//!
//! The calls block; asynchronous callers wrap them in `spawn_blocking`.
//!
//! ```no_run
//! # fn main() -> Result<(), pgbox::Error> {
//! let env = pgbox::Environment::read();
//! let data_dir = env.default_data_dir()?;
//! let search = pgbox::Search::new(&env, &data_dir);
//! let found = match search.find() {
//!     Ok(found) => found,
//!     Err(_) => {
//!         let plan = pgbox::FetchPlan::new(&env)?;
//!         eprintln!("fetching {plan}");
//!         plan.run(&data_dir)?;
//!         search.find()?
//!     }
//! };
//! let postgres = pgbox::PgBox::start(pgbox::Settings::new(&env, &data_dir, found))?;
//! println!("{}", postgres.url(pgbox::DATABASE));
//! postgres.release()?; // stops it, unless another process still uses it
//! # Ok(())
//! # }
//! ```
//!
//! # When the parent is killed
//!
//! A dropped [`PgBox`] stops its server. A parent killed with SIGKILL cannot: the server then
//! lives on and the next [`PgBox::start`] on the same data directory adopts it. A Postgres that
//! was itself killed is started again by [`PgBox::restart_if_dead`] or by the next start, and
//! recovers from its write-ahead log.
//!
//! # Who can reach the server
//!
//! Authentication is `trust`, so the socket's directory is the lock: mode 0700, owned by the user
//! that the server runs as, refused when it belongs to anybody else. Only that user and root pass.
//! Started by root the server runs as `elomill` where such a user exists, else `postgres`, else
//! `nobody`; with `nobody`, other programs that run as `nobody` can reach it too.

mod discover;
mod environment;
mod error;
mod fetch;
mod install_hint;
mod settings;

#[cfg(unix)]
mod account;
#[cfg(unix)]
mod cluster;
#[cfg(unix)]
mod initdb;
#[cfg(unix)]
mod layout;
#[cfg(unix)]
mod postmaster;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod socket;
#[cfg(unix)]
mod template;
#[cfg(unix)]
mod throwaway;
#[cfg(unix)]
mod wire;

#[cfg(not(unix))]
#[path = "elsewhere.rs"]
mod cluster;

pub use cluster::{PgBox, status, stop};
pub use discover::{Binaries, FindError, Found, Search, Version};
pub use environment::Environment;
pub use error::Error;
pub use fetch::{FetchError, FetchPlan};
pub use install_hint::install_hint;
pub use settings::{Lifetime, Origin, Released, Revival, Running, Settings, Status};

/// The database superuser of every private server.
pub const USER: &str = "elomill";

/// The database that a fresh cluster already has, and that Elomill keeps its ledger in.
pub const DATABASE: &str = "postgres";
