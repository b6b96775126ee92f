//! `pg_dump` and `pg_restore`: where they are, and how they are called.

use crate::output::{hinted, printable_lines};
use anyhow::Context;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The two programs, of one installation.
pub(super) struct Programs {
    dump: PathBuf,
    restore: PathBuf,
}

/// A database's address, with the password apart: what stands on a command line everybody on the
/// machine can read.
pub(super) struct Address {
    /// As it was given.
    pub(super) url: String,
    without_password: String,
    password: Option<String>,
}

impl Address {
    pub(super) fn of(url: String) -> Self {
        let (without_password, password) = split_password(&url);
        Self { url, without_password, password }
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.arg("--no-password").arg("--dbname").arg(&self.without_password);
        if let Some(password) = &self.password {
            command.env("PGPASSWORD", password);
        }
        command
    }
}

impl Programs {
    /// Those beside a server of this machine, the preferred first, else those of the path.
    ///
    /// # Errors
    /// There are none.
    pub(super) fn find(found: Option<&pgbox::Found>, path: Option<&OsStr>) -> anyhow::Result<Self> {
        let beside = found.into_iter().flat_map(pgbox::Found::all).map(|one| one.bin_dir.clone());
        let on_path = path.into_iter().flat_map(std::env::split_paths);
        for folder in beside.chain(on_path) {
            let program =
                |name: &str| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            let (dump, restore) = (program("pg_dump"), program("pg_restore"));
            if dump.is_file() && restore.is_file() {
                return Ok(Self { dump, restore });
            }
        }
        Err(hinted(
            "this machine has no pg_dump and pg_restore",
            "install the package `postgresql-client`, of the server's version or newer",
        ))
    }

    /// Writes a snapshot into a file.
    ///
    /// # Errors
    /// As `pg_dump` says.
    pub(super) async fn dump(
        &self,
        address: &Address,
        snapshot: &str,
        file: &Path,
    ) -> anyhow::Result<()> {
        let mut command = address.command(&self.dump);
        command.args(["--format=custom", "--no-owner", "--no-privileges", "--snapshot", snapshot]);
        command.arg("--file").arg(file);
        said(command, "pg_dump").await.map(drop)
    }

    /// The last migration that a file of `dump` knows.
    ///
    /// # Errors
    /// It is no such file, or not of a ledger.
    pub(super) async fn schema_of(&self, file: &Path) -> anyhow::Result<i64> {
        let mut command = Command::new(&self.restore);
        command.args(["--data-only", "--table=_sqlx_migrations", "--file=-"]).arg(file);
        let text = said(command, "pg_restore").await.with_context(|| {
            format!("{} is no backup that this machine can read", file.display())
        })?;
        newest_migration(&text).ok_or_else(|| {
            hinted(
                format_args!("{} holds no ledger of Elomill", file.display()),
                "give a file that `elomill backup` wrote",
            )
        })
    }

    /// Brings a file into an empty database: all of it or nothing.
    ///
    /// # Errors
    /// As `pg_restore` says.
    pub(super) async fn restore(&self, address: &Address, file: &Path) -> anyhow::Result<()> {
        let mut command = address.command(&self.restore);
        command.args(["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]);
        command.arg(file);
        said(command, "pg_restore").await.map(drop)
    }
}

/// What a program that succeeded wrote to its stdout.
async fn said(mut command: Command, name: &str) -> anyhow::Result<String> {
    let output = command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        let errors = printable_lines(&String::from_utf8_lossy(&output.stderr));
        anyhow::bail!("{name} failed: {errors}");
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The highest first column of the rows between `COPY … FROM stdin;` and `\.`.
fn newest_migration(script: &str) -> Option<i64> {
    let rows = script.lines().skip_while(|line| !line.starts_with("COPY ")).skip(1);
    rows.take_while(|line| *line != "\\.")
        .filter_map(|line| line.split('\t').next()?.parse().ok())
        .max()
}

/// An address without its password, and the password as it is meant.
fn split_password(url: &str) -> (String, Option<String>) {
    let Some(start) = url.find("://").map(|at| at + 3) else { return (url.to_owned(), None) };
    let authority = start..url[start..].find(['/', '?']).map_or(url.len(), |at| start + at);
    let Some(at) = url[authority].rfind('@').map(|at| start + at) else {
        return (url.to_owned(), None);
    };
    match url[start..at].split_once(':') {
        Some((user, password)) => {
            (format!("{}{user}{}", &url[..start], &url[at..]), Some(decoded(password)))
        }
        None => (url.to_owned(), None),
    }
}

/// Percent escapes undone.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_leaves_the_address_and_keeps_its_meaning() {
        for (url, without, password) in [
            ("postgres://u:p%40ss%3a@h:1/db", "postgres://u@h:1/db", Some("p@ss:")),
            ("postgres://u@h/db", "postgres://u@h/db", None),
            ("postgres://h/db?options=a@b:c", "postgres://h/db?options=a@b:c", None),
            ("postgres:///db?host=%2Frun", "postgres:///db?host=%2Frun", None),
            ("nonsense", "nonsense", None),
        ] {
            let (found, secret) = split_password(url);
            assert_eq!((found.as_str(), secret.as_deref()), (without, password), "{url}");
        }
    }

    #[test]
    fn the_newest_migration_is_read_from_the_rows_of_its_table() {
        let script = "SET x = 1;\nCOPY public._sqlx_migrations (version, description) FROM stdin;\n\
                      1\tledger\n12\tviews\n3\tkeys\n\\.\n\n99\tno row\n";
        assert_eq!(newest_migration(script), Some(12));
        assert_eq!(newest_migration("SET x = 1;\n"), None);
    }
}
