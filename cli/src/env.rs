//! Every environment variable that Elomill reads, in one list; `elomill --help` prints it.

/// Where the coordinator is: `https://HOST:PORT#FINGERPRINT`.
pub(crate) const COORDINATOR: &str = "ELOMILL_COORDINATOR";
/// Where everything of this machine is kept.
pub(crate) const DATA_DIR: &str = "ELOMILL_DATA_DIR";
/// A Postgres to use in place of the private one.
pub(crate) const DATABASE_URL: &str = "ELOMILL_DATABASE_URL";
/// What is logged.
pub(crate) const LOG: &str = "ELOMILL_LOG";

/// Name and meaning of each, in the order in which help shows them.
const ALL: [(&str, &str); 7] = [
    (COORDINATOR, "address of the coordinator, https://HOST:PORT#FINGERPRINT (as --coordinator)"),
    (DATA_DIR, "folder of everything that stays on this machine (as --data-dir)"),
    (
        DATABASE_URL,
        "a Postgres from version 14 on, in place of the private one (as --database-url)",
    ),
    (LOG, "what is logged: error, warn, info, debug, or target=level,… (info)"),
    ("ELOMILL_WORKER_STATE", "folder of a worker's key and spool (as --state-dir)"),
    ("ELOMILL_TB", "folders with Syzygy tables, for the worker of this machine (as --tb)"),
    ("ELOMILL_PG_BIN", "folder with initdb and postgres, in place of a search"),
];

/// The list as `--help` ends with it.
pub(crate) fn help() -> String {
    let width = ALL.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<_> =
        ALL.iter().map(|(name, meaning)| format!("  {name:width$}  {meaning}")).collect();
    format!("Environment:\n{}", lines.join("\n"))
}
