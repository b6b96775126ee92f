//! An author's engines by name: each program once, under the SHA-256 of its bytes.
//!
//! ```text
//! lock                     held by whoever adds, removes or builds
//! names/NAME.json          a manifest and the program that it came to
//! programs/SHA256/program  the program; its time of change is that of its last use
//! builds/KEY               the SHA-256 that a commit and its recipe came to
//! ```
//!
//! Programs that no name means any more are kept for the next build of the same commit, up to a number
//! of bytes; the longest unused go first.

use crate::shelf::files::{copy_in, hash_of, key, make_folder, replace, surplus, touch};
use crate::shelf::pack::{self, Artefact};
use crate::shelf::{Fault, Guard, ShelfError, bench, build};
use arena::duel::Program;
use model::file::{EngineFile, EngineSource, Recipe};
use model::spec::ExternalEngine;
use model::{FindingList, printable};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes of programs that no name means, which are kept all the same.
const MOST_IDLE: u64 = 1 << 30;

/// What stands behind a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The manifest, as it was written.
    manifest: String,
    /// The folder from which its paths count; unknown of what was added by an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
    /// Of the program.
    pub sha256: String,
    /// Of the program.
    pub bytes: u64,
    /// Seconds since 1970 when it was added.
    pub added: u64,
}

/// An engine that is ready to be started.
#[derive(Clone, Debug)]
pub struct Engine {
    /// What its manifest says.
    pub file: EngineFile,
    /// What is kept of it.
    pub kept: Kept,
    program: PathBuf,
}

/// The folder of all of it.
#[derive(Clone, Debug)]
pub struct Shelf(PathBuf);

/// Held while something changes.
struct Lock {
    _file: File,
}

impl Engine {
    /// What the arena starts.
    #[must_use]
    pub fn program(&self) -> Program {
        program(&self.program, &self.file)
    }

    /// The program itself, for its own `bench`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.program
    }
}

/// A program as its manifest wants it started.
pub(crate) fn program(path: &Path, file: &EngineFile) -> Program {
    let mut program = Program::new(path, file.protocol);
    program.arguments.clone_from(&file.arguments);
    program.options.clone_from(&file.options);
    program.threads = Some(file.threads);
    program
}

impl Shelf {
    /// The shelf of this folder, which is made when something is added.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Takes in what a manifest describes: builds or copies it, has its bench prove it, and only then
    /// gives it its name. What it does meanwhile it tells.
    ///
    /// # Errors
    /// The manifest has mistakes, or the program does not come about or is not the one that the
    /// manifest means. What was kept under the name before stays then.
    pub fn add(
        &self,
        manifest: &Path,
        guard: &Guard,
        tell: &dyn Fn(&str),
    ) -> Result<Engine, ShelfError> {
        let io = ShelfError::io(format!("cannot read {}", manifest.display()));
        let text = std::fs::read_to_string(manifest).map_err(io)?;
        let file = EngineFile::parse(&text).map_err(|findings| refused(manifest, &findings))?;
        let folder = manifest.parent().unwrap_or(Path::new(""));
        let io = ShelfError::io(format!("no folder {}", folder.display()));
        let folder = std::path::absolute(folder.join(".")).map_err(io)?;
        let lock = self.lock()?;
        let sha256 = self.obtain(&file, &folder, guard, tell, &lock)?;
        let program = self.program(&sha256);
        let io = ShelfError::io(format!("cannot read {}", program.display()));
        let bytes = std::fs::metadata(&program).map_err(io)?.len();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let added = now.map_or(0, |since| since.as_secs());
        let kept = Kept { manifest: text, folder: Some(folder), sha256, bytes, added };
        let engine = Engine { file, kept, program };
        let proven = bench::prove(engine.path(), &engine.file, guard);
        if proven.is_ok() {
            let text = serde_json::to_string_pretty(&engine.kept)
                .map_err(|error| ShelfError::new(Fault::Machine, error, ""))?;
            replace(&self.name(&engine.file.name), text.as_bytes())?;
        }
        self.tidy()?;
        proven.map(|()| engine)
    }

    /// Every engine by name.
    ///
    /// # Errors
    /// The folder cannot be read, or what is kept in it is of another version.
    pub fn list(&self) -> Result<Vec<Engine>, ShelfError> {
        let folder = self.0.join("names");
        let io = || ShelfError::io(format!("cannot read {}", folder.display()));
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io()(error)),
        };
        let mut engines = Vec::new();
        for entry in entries {
            let path = entry.map_err(io())?.path();
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
    pub fn find(&self, name: &str) -> Result<Engine, ShelfError> {
        let known = self.list()?;
        let Some(engine) = known.iter().find(|engine| engine.file.name == name) else {
            let known: Vec<_> = known.iter().map(|engine| engine.file.name.as_str()).collect();
            let hint = if known.is_empty() {
                "none is kept yet: elomill engine add FILE".to_owned()
            } else {
                format!("kept: {}", known.join(", "))
            };
            let message = format!("no engine `{}`", printable(name, 60));
            return Err(ShelfError::new(Fault::Unavailable, message, hint));
        };
        if hash_of(&engine.program)? != engine.kept.sha256 {
            let hint = format!("remove {} and add it again", engine.program.display());
            let message = format!("the program of `{name}` has been changed");
            return Err(ShelfError::new(Fault::Unavailable, message, hint));
        }
        touch(&engine.program)?;
        Ok(engine.clone())
    }

    /// The SHA-256 of a program that lies on this shelf; `None` for one from elsewhere.
    #[must_use]
    pub fn holds(&self, program: &Path) -> Option<String> {
        let folder = program.parent()?;
        let is_here = folder.parent()? == self.0.join("programs");
        is_here.then(|| folder.file_name().map(|name| name.to_string_lossy().into_owned()))?
    }

    /// Forgets a name; its program is kept a while.
    ///
    /// # Errors
    /// There is none, or it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), ShelfError> {
        let engine = self.find(name)?;
        let _lock = self.lock()?;
        let path = self.name(&engine.file.name);
        let io = ShelfError::io(format!("cannot remove {}", path.display()));
        std::fs::remove_file(path).map_err(io)?;
        self.tidy()
    }

    /// What has to be sent elsewhere for an engine to come about there: the program of a `file`, else
    /// its source, packed anew from where it comes.
    ///
    /// # Errors
    /// The source is not to be had any more.
    pub fn artefact(&self, engine: &Engine) -> Result<Artefact, ShelfError> {
        let Kept { manifest, folder, sha256, bytes, .. } = &engine.kept;
        let external = |artefact: String, bytes: u64| ExternalEngine {
            artefact,
            bytes,
            manifest: manifest.clone(),
        };
        let packed = |source: &Path| {
            let (archive, sha256, bytes) = pack::pack(source)?;
            let engine = external(sha256, bytes);
            Ok(Artefact { engine, path: archive.path().to_owned(), _archive: Some(archive) })
        };
        let folder = folder.clone().unwrap_or_default();
        match &engine.file.source {
            EngineSource::File { .. } => Ok(Artefact {
                engine: external(sha256.clone(), *bytes),
                path: engine.program.clone(),
                _archive: None,
            }),
            EngineSource::Folder { path, .. } => packed(&folder.join(path)),
            EngineSource::Git { url, commit, .. } => {
                let source = self.checkout(url, commit, &folder)?;
                packed(source.path())
            }
        }
    }

    /// The SHA-256 under which the program of a manifest is kept, after it was built if it had to be.
    fn obtain(
        &self,
        file: &EngineFile,
        folder: &Path,
        guard: &Guard,
        tell: &dyn Fn(&str),
        lock: &Lock,
    ) -> Result<String, ShelfError> {
        match &file.source {
            EngineSource::File { path, sha256 } => {
                let path = folder.join(path);
                let found = hash_of(&path)?;
                if found != *sha256 {
                    let message = format!("{} has the SHA-256 {found}", path.display());
                    let hint = format!("the manifest means {sha256}; take that file, or change it");
                    return Err(ShelfError::new(Fault::Unavailable, message, hint));
                }
                let taken = self.take_in(&path, lock)?;
                if taken != *sha256 {
                    let message = format!("{} changes meanwhile", path.display());
                    return Err(ShelfError::new(Fault::Machine, message, "add it again"));
                }
                Ok(taken)
            }
            EngineSource::Folder { path, recipe } => {
                let source = folder.join(path);
                if !source.is_dir() {
                    let message = format!("build.folder: no folder {}", source.display());
                    let hint = "a relative path counts from the manifest's folder";
                    return Err(ShelfError::new(Fault::Unavailable, message, hint));
                }
                let result = build::build(&source, recipe, guard, tell)?;
                self.take_in(&result, lock)
            }
            EngineSource::Git { url, commit, recipe } => {
                let Recipe { command, result } = recipe;
                let words = [url, commit, result].into_iter().chain(command);
                let record = self.0.join("builds").join(key(words.map(String::as_str)));
                if let Ok(sha256) = std::fs::read_to_string(&record)
                    && self.program(&sha256).exists()
                    && hash_of(&self.program(&sha256))? == sha256
                {
                    tell(&format!("commit {commit} was built before"));
                    return Ok(sha256);
                }
                let source = self.checkout(url, commit, folder)?;
                let result = build::build(source.path(), recipe, guard, tell)?;
                let sha256 = self.take_in(&result, lock)?;
                replace(&record, sha256.as_bytes())?;
                Ok(sha256)
            }
        }
    }

    /// A commit in a folder of the moment.
    fn checkout(
        &self,
        url: &str,
        commit: &str,
        folder: &Path,
    ) -> Result<tempfile::TempDir, ShelfError> {
        make_folder(&self.0)?;
        let source = tempfile::Builder::new()
            .prefix("source-")
            .tempdir_in(&self.0)
            .map_err(ShelfError::io("cannot make a folder for the source"))?;
        // A path counts from the manifest's folder, as others do.
        let local = folder.join(url);
        let from = if local.is_dir() { local.display().to_string() } else { url.to_owned() };
        build::fetch(&from, commit, source.path())?;
        Ok(source)
    }

    fn name(&self, name: &str) -> PathBuf {
        self.0.join("names").join(format!("{name}.json"))
    }

    fn program(&self, sha256: &str) -> PathBuf {
        self.0.join("programs").join(sha256).join("program")
    }

    fn read(&self, path: &Path) -> Result<Engine, ShelfError> {
        let io = ShelfError::io(format!("cannot read {}", path.display()));
        let text = std::fs::read(path).map_err(io)?;
        let kept: Kept = serde_json::from_slice(&text).map_err(|error| {
            let message = format!("{} is of another version: {error}", path.display());
            ShelfError::new(Fault::Machine, message, "remove the file and add the engine again")
        })?;
        let file = EngineFile::parse(&kept.manifest).map_err(|wrong| refused(path, &wrong))?;
        let program = self.program(&kept.sha256);
        Ok(Engine { file, kept, program })
    }

    /// Waits until nobody else changes anything.
    fn lock(&self) -> Result<Lock, ShelfError> {
        for folder in ["names", "programs", "builds"] {
            make_folder(&self.0.join(folder))?;
        }
        let io = || ShelfError::io("cannot lock the engines");
        let path = self.0.join("lock");
        let file = File::options().create(true).append(true).open(path).map_err(io())?;
        file.lock().map_err(io())?;
        Ok(Lock { _file: file })
    }

    /// Copies a program in and gives the SHA-256 of what was copied.
    fn take_in(&self, from: &Path, _: &Lock) -> Result<String, ShelfError> {
        let folder = self.0.join("programs");
        let (copy, sha256, _) = copy_in(from, &folder)?;
        let program = self.program(&sha256);
        if !program.exists() {
            make_folder(program.parent().unwrap_or(&folder))?;
            let io = ShelfError::io(format!("cannot write {}", program.display()));
            copy.persist(&program).map_err(|error| io(error.error))?;
        }
        touch(&program)?;
        Ok(sha256)
    }

    /// Removes the longest unused of the programs that no name means, until few enough bytes are left.
    fn tidy(&self) -> Result<(), ShelfError> {
        let folder = self.0.join("programs");
        let io = || ShelfError::io(format!("cannot tidy {}", folder.display()));
        let named: Vec<String> =
            self.list()?.into_iter().map(|engine| engine.kept.sha256).collect();
        let mut idle = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(io())?.flatten() {
            let sha256 = entry.file_name().to_string_lossy().into_owned();
            let Ok(data) = std::fs::metadata(entry.path().join("program")) else { continue };
            if !named.contains(&sha256) {
                idle.push((data.modified().map_err(io())?, data.len(), entry.path()));
            }
        }
        for path in surplus(idle, MOST_IDLE) {
            std::fs::remove_dir_all(&path).map_err(io())?;
        }
        Ok(())
    }
}

/// A manifest with everything that is wrong with it.
fn refused(path: &Path, FindingList(findings): &FindingList) -> ShelfError {
    let count = match findings.len() {
        1 => "a mistake".to_owned(),
        n => format!("{n} mistakes"),
    };
    let list: Vec<_> =
        findings.iter().map(|finding| format!("{}: {finding}", path.display())).collect();
    let message = format!("{} has {count}\n{}", path.display(), list.join("\n"));
    ShelfError::new(Fault::Unusable, message, "")
}
