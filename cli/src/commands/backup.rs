//! `elomill backup` and `elomill restore`: the whole ledger in one file, and back.
//!
//! The file is what `pg_dump` writes (custom format) of one snapshot, so it is consistent while a
//! coordinator works. A restore goes into an empty database only, in one transaction, and is then
//! compared with itself; a coordinator that starts on it goes on where the snapshot stood.

mod programs;

use crate::data_dir::{DataDir, DataDirArgs};
use crate::output::{hinted, json, line, say};
use anyhow::Context;
use pgbox::{Environment, PgBox, Settings};
use programs::{Address, Programs};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::{Holdings, Snapshot};
use tokio::task::spawn_blocking;

/// Which database is meant.
#[derive(Debug, clap::Args)]
struct DatabaseArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
    /// A Postgres from version 14 on, in place of the private one of the data folder
    #[arg(long, value_name = "URL", env = crate::env::DATABASE_URL, hide_env_values = true)]
    database_url: Option<String>,
}

/// What `backup` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupArgs {
    /// The file to write; it must not be there yet
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What `restore` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// A file that `elomill backup` wrote
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl BackupArgs {
    /// # Errors
    /// The file is there or cannot be written, the database does not answer or holds no ledger of
    /// this version, or `pg_dump` fails. No file is left behind then.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { file, database, json: as_json } = self;
        if file.exists() {
            return Err(hinted(
                format_args!("{} is there already", file.display()),
                "name another file, or take that one away",
            ));
        }
        let database = database.open(false).await?;
        let mut snapshot = Snapshot::take(&database.address.url).await?;
        let held = snapshot.holdings().await?;
        if held.schema > store::newest_schema() {
            return Err(newer(held.schema));
        }
        // Under another name until it is whole: what bears the name can be restored.
        let unfinished = UnfinishedFile::create(&file)?;
        database.programs.dump(&database.address, snapshot.id(), unfinished.path()).await?;
        snapshot.release().await;
        database.programs.schema_of(unfinished.path()).await?;
        let path = unfinished.path().to_owned();
        let (bytes, sha256) = spawn_blocking(move || digest(&path)).await??;
        unfinished.finish(&file)?;
        database.close().await?;
        if as_json {
            json(&serde_json::json!({
                "file": file, "bytes": bytes, "sha256": sha256, "schema": held.schema,
                "runs": held.runs, "reports": held.reports, "pairs": held.pairs,
            }))?;
        } else {
            line(format_args!("{}  {bytes} bytes, SHA-256 {sha256}", file.display()))?;
            line(told(&held))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl RestoreArgs {
    /// # Errors
    /// The file is no backup or one of a later version, the database is not empty, or what was
    /// restored contradicts itself.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { file, database, json: as_json } = self;
        // Asked first: a wrong name must not make a database.
        File::open(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let database = database.open(true).await?;
        let schema = database.programs.schema_of(&file).await?;
        if schema > store::newest_schema() {
            database.close().await?;
            return Err(newer(schema));
        }
        let mut before = Snapshot::take(&database.address.url).await?;
        let is_empty = before.is_empty().await?;
        before.release().await;
        if !is_empty {
            database.close().await?;
            return Err(hinted(
                "the database is not empty, and a restore replaces nothing",
                "give a data folder that was never used, or the address of a database just made",
            ));
        }
        database.programs.restore(&database.address, &file).await?;
        let mut after = Snapshot::take(&database.address.url).await?;
        let held = after.holdings().await?;
        let contradictions = after.contradictions().await?;
        after.release().await;
        database.close().await?;
        if !contradictions.is_empty() {
            for contradiction in contradictions.iter().take(20) {
                say(contradiction);
            }
            return Err(hinted(
                format_args!(
                    "the restored ledger contradicts itself {} times",
                    contradictions.len()
                ),
                "do not use it; restore an older backup into another empty database",
            ));
        }
        if as_json {
            json(&serde_json::json!({
                "schema": held.schema, "runs": held.runs, "reports": held.reports,
                "pairs": held.pairs, "contradictions": 0,
            }))?;
        } else {
            line(format_args!("restored {}", told(&held)))?;
            say("every run, report and lease agrees with its pairs");
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn told(held: &Holdings) -> String {
    let Holdings { schema, runs, reports, pairs } = held;
    format!("{runs} runs, {reports} reports, {pairs} pairs, schema {schema}")
}

fn newer(found: i64) -> anyhow::Error {
    store::StoreError::NewerSchema { found, known: store::newest_schema() }.into()
}

/// A database that answers, with the programs for it.
struct Open {
    address: Address,
    programs: Programs,
    /// The private server, if it is one, and the lock on its folder.
    private: Option<(PgBox, Option<crate::data_dir::DataDirLock>)>,
}

impl DatabaseArgs {
    /// Opens it; `alone` takes the data folder from everybody else.
    async fn open(&self, alone: bool) -> anyhow::Result<Open> {
        let folder = match (&self.database_url, self.data_dir.resolve()) {
            (None, folder) => Some(folder?),
            // Programs that were fetched before serve too; where there is no home there are none.
            (Some(_), folder) => folder.ok(),
        };
        let url = self.database_url.clone();
        spawn_blocking(move || open(url, folder, alone)).await.context("the start was cut off")?
    }
}

fn open(url: Option<String>, folder: Option<DataDir>, alone: bool) -> anyhow::Result<Open> {
    let env = Environment::read();
    if let Some(url) = url {
        let known = folder.as_ref().map(|folder| folder.path().to_owned()).unwrap_or_default();
        let found = pgbox::Search::new(&env, &known).find().ok();
        let programs = Programs::find(found.as_ref(), env.path.as_deref())?;
        return Ok(Open { address: Address::of(url), programs, private: None });
    }
    let folder = folder.context("a data folder")?;
    let lock = if alone { Some(folder.lock()?) } else { None };
    let found = crate::house::programs(&folder, true)?;
    let programs = Programs::find(Some(&found), env.path.as_deref())?;
    let postgres = PgBox::start(Settings::new(&env, folder.path(), found))?;
    let address = Address::of(postgres.url(pgbox::DATABASE));
    Ok(Open { address, programs, private: Some((postgres, lock)) })
}

impl Open {
    /// Stops a private server that ran for this command alone.
    async fn close(self) -> anyhow::Result<()> {
        if let Some((postgres, _lock)) = self.private {
            spawn_blocking(move || postgres.release()).await.context("the stop was cut off")??;
        }
        Ok(())
    }
}

/// A file beside its later place, gone unless it was finished.
struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    fn create(file: &Path) -> anyhow::Result<Self> {
        let mut name = file.file_name().context("the file has no name")?.to_owned();
        name.push(".unfinished");
        let path = file.with_file_name(name);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // It holds what the database does.
            options.mode(0o600);
        }
        options.open(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn finish(self, file: &Path) -> anyhow::Result<()> {
        // On the disk before it bears the name.
        File::options().write(true).open(&self.0)?.sync_all()?;
        std::fs::rename(&self.0, file).with_context(|| format!("cannot make {}", file.display()))
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        // Not there any more where it was finished.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Size and SHA-256 of a file.
fn digest(path: &Path) -> anyhow::Result<(u64, String)> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match std::io::Read::read(&mut file, &mut buffer)? {
            0 => break,
            read => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
    let text = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((bytes, text))
}
