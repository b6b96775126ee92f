//! The engines of others that this machine keeps: each program once, under the SHA-256 of its bytes,
//! and names that say what they are.
//!
//! ```text
//! engines/lock                     held by whoever adds, removes or builds
//! engines/names/NAME.json          a manifest and the program that it came to
//! engines/programs/SHA256/program  the program; its time of change is that of its last use
//! engines/builds/KEY               the SHA-256 that a commit and its recipe came to
//! ```
//!
//! Programs that no name means any more are kept for the next build of the same commit, up to a number
//! of bytes; the longest unused go first.

mod build;

use crate::books::hex;
use crate::data_dir::DataDir;
use crate::filing;
use crate::output::hinted;
use anyhow::Context;
use arena::duel::Program;
use model::file::EngineFile;
use model::{FindingList, printable};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most bytes of a program.
const MOST_PROGRAM: u64 = 1 << 30;

/// Bytes of programs that no name means, which are kept all the same.
const MOST_IDLE: u64 = 1 << 30;

/// What stands behind a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The manifest, as it was written.
    manifest: String,
    /// Of the program.
    pub(crate) sha256: String,
    /// Of the program.
    pub(crate) bytes: u64,
    /// Seconds since 1970 when it was added.
    pub(crate) added: u64,
}

/// An engine that is ready to be started.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) file: EngineFile,
    pub(crate) kept: Kept,
    program: PathBuf,
}

/// The folder of all of it.
#[derive(Clone, Debug)]
pub(crate) struct Shelf(PathBuf);

/// Held while something changes.
struct Lock {
    _file: File,
}

impl Engine {
    /// What the arena starts.
    pub(crate) fn program(&self) -> Program {
        let mut program = Program::new(&self.program, self.file.protocol);
        program.arguments.clone_from(&self.file.arguments);
        program.options.clone_from(&self.file.options);
        program
    }

    /// The program itself, for its own `bench`.
    pub(crate) fn path(&self) -> &Path {
        &self.program
    }
}

impl Shelf {
    pub(crate) fn of(folder: &DataDir) -> Self {
        Self(folder.path().join("engines"))
    }

    /// Takes in what a manifest describes: builds or copies it, lets `prove` look at it, and only then
    /// gives it its name.
    ///
    /// # Errors
    /// The manifest has mistakes, the program does not come about or is not the one that the manifest
    /// means, or `prove` objects. What was kept under the name before stays then.
    pub(crate) fn add(
        &self,
        manifest: &Path,
        prove: impl Fn(&Engine) -> anyhow::Result<()>,
    ) -> anyhow::Result<Engine> {
        let text = std::fs::read_to_string(manifest)
            .with_context(|| format!("cannot read {}", manifest.display()))?;
        let file = EngineFile::parse(&text)
            .map_err(|FindingList(findings)| filing::refused(manifest, &findings))?;
        let folder = manifest.parent().unwrap_or(Path::new(""));
        let lock = self.lock()?;
        let sha256 = self.obtain(&file, folder, &lock)?;
        let program = self.program(&sha256);
        let bytes = std::fs::metadata(&program)?.len();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let added = now.map_or(0, |since| since.as_secs());
        let engine = Engine { file, kept: Kept { manifest: text, sha256, bytes, added }, program };
        let proven = prove(&engine);
        if proven.is_ok() {
            let name = self.name(&engine.file.name);
            replace(&name, serde_json::to_string_pretty(&engine.kept)?.as_bytes())?;
        }
        self.tidy()?;
        proven.map(|()| engine)
    }

    /// Every engine by name.
    ///
    /// # Errors
    /// The folder cannot be read, or what is kept in it is of another version.
    pub(crate) fn list(&self) -> anyhow::Result<Vec<Engine>> {
        let folder = self.0.join("names");
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| folder.display().to_string()),
        };
        let mut engines = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "json") {
                engines.push(self.read(&path)?);
            }
        }
        engines.sort_by(|a, b| a.file.name.cmp(&b.file.name));
        Ok(engines)
    }

    /// The engine of a name; it counts as used now.
    ///
    /// # Errors
    /// There is none, or its program is not what was added.
    pub(crate) fn find(&self, name: &str) -> anyhow::Result<Engine> {
        let known = self.list()?;
        let Some(engine) = known.iter().find(|engine| engine.file.name == name) else {
            let known: Vec<_> = known.iter().map(|engine| engine.file.name.as_str()).collect();
            let hint = if known.is_empty() {
                "none is kept yet: elomill engine add FILE".to_owned()
            } else {
                format!("kept: {}", known.join(", "))
            };
            return Err(hinted(format_args!("no engine `{}`", printable(name, 60)), hint));
        };
        if hash_of(&engine.program)? != engine.kept.sha256 {
            let hint = format!("remove {} and add it again", engine.program.display());
            return Err(hinted(format_args!("the program of `{name}` has been changed"), hint));
        }
        File::options().append(true).open(&engine.program)?.set_modified(SystemTime::now())?;
        Ok(engine.clone())
    }

    /// Forgets a name; its program is kept a while.
    ///
    /// # Errors
    /// There is none, or it cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> anyhow::Result<()> {
        let engine = self.find(name)?;
        let _lock = self.lock()?;
        std::fs::remove_file(self.name(&engine.file.name))?;
        self.tidy()
    }

    fn name(&self, name: &str) -> PathBuf {
        self.0.join("names").join(format!("{name}.json"))
    }

    fn program(&self, sha256: &str) -> PathBuf {
        self.0.join("programs").join(sha256).join("program")
    }

    fn read(&self, path: &Path) -> anyhow::Result<Engine> {
        let text = std::fs::read(path).with_context(|| path.display().to_string())?;
        let kept: Kept = serde_json::from_slice(&text)
            .with_context(|| format!("{} is of another version", path.display()))?;
        let file = EngineFile::parse(&kept.manifest)
            .map_err(|FindingList(findings)| filing::refused(path, &findings))?;
        let program = self.program(&kept.sha256);
        Ok(Engine { file, kept, program })
    }

    /// Waits until nobody else changes anything.
    fn lock(&self) -> anyhow::Result<Lock> {
        for folder in ["names", "programs", "builds"] {
            let folder = self.0.join(folder);
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let file = File::options().create(true).append(true).open(self.0.join("lock"))?;
        file.lock().context("cannot lock the engines")?;
        Ok(Lock { _file: file })
    }

    /// Copies a program in and gives the SHA-256 of what was copied.
    fn take_in(&self, from: &Path, _: &Lock) -> anyhow::Result<String> {
        let what = || from.display().to_string();
        let mut source = File::open(from).with_context(|| format!("cannot read {}", what()))?;
        let length = source.metadata().with_context(what)?.len();
        if length > MOST_PROGRAM {
            let hint = format!("allowed: to {} MiB", MOST_PROGRAM >> 20);
            return Err(hinted(format_args!("{} has {} MiB", what(), length >> 20), hint));
        }
        let folder = self.0.join("programs");
        let mut copy = tempfile::Builder::new().prefix("new-").tempfile_in(&folder)?;
        let mut hash = Sha256::new();
        let mut chunk = vec![0; 1 << 16];
        loop {
            let read = source.read(&mut chunk).with_context(what)?;
            if read == 0 {
                break;
            }
            hash.update(&chunk[..read]);
            copy.write_all(&chunk[..read])?;
        }
        let sha256 = hex(&hash.finalize());
        let program = self.program(&sha256);
        if !program.exists() {
            executable(copy.as_file())?;
            copy.as_file().sync_all()?;
            std::fs::create_dir_all(program.parent().unwrap_or(&folder))?;
            copy.persist(&program).map_err(|error| error.error)?;
        }
        File::options().append(true).open(&program)?.set_modified(SystemTime::now())?;
        Ok(sha256)
    }

    /// Removes the longest unused of the programs that no name means, until few enough bytes are left.
    fn tidy(&self) -> anyhow::Result<()> {
        let named: Vec<String> =
            self.list()?.into_iter().map(|engine| engine.kept.sha256).collect();
        let mut idle = Vec::new();
        for entry in std::fs::read_dir(self.0.join("programs"))?.flatten() {
            let sha256 = entry.file_name().to_string_lossy().into_owned();
            let Ok(data) = std::fs::metadata(entry.path().join("program")) else { continue };
            if !named.contains(&sha256) {
                idle.push((data.modified()?, data.len(), entry.path()));
            }
        }
        for path in surplus(idle, MOST_IDLE) {
            std::fs::remove_dir_all(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }
}

/// Which of these go so that at most so many bytes stay; the longest unused go first.
fn surplus(mut idle: Vec<(SystemTime, u64, PathBuf)>, most: u64) -> Vec<PathBuf> {
    idle.sort();
    let mut bytes: u64 = idle.iter().map(|(_, bytes, _)| bytes).sum();
    let mut gone = Vec::new();
    for (_, length, path) in idle {
        if bytes <= most {
            break;
        }
        bytes -= length;
        gone.push(path);
    }
    gone
}

/// Puts a file in the place of another at once.
fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(unix)]
fn executable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &File) -> std::io::Result<()> {
    Ok(())
}

fn hash_of(path: &Path) -> anyhow::Result<String> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&chunk[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::surplus;
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_longest_unused_go_first_and_no_more_than_needed() {
        let at = |second| SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let idle =
            || vec![(at(3), 30, "c".into()), (at(1), 10, "a".into()), (at(2), 20, "b".into())];
        let gone = |most| -> Vec<String> {
            surplus(idle(), most).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(gone(60), [""; 0]);
        assert_eq!(gone(59), ["a"]);
        assert_eq!(gone(50), ["a"]);
        assert_eq!(gone(49), ["a", "b"]);
        assert_eq!(gone(0), ["a", "b", "c"]);
    }
}
