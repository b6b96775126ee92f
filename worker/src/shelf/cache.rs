//! A worker's engines by content: fetched once, built once, the longest unused forgotten.
//!
//! ```text
//! artefacts/SHA256.part   what has come of an artefact so far
//! artefacts/SHA256        one that is whole, until its program is made
//! programs/KEY/program    what came of it; its time of change is that of its last use
//! programs/KEY/proof      the SHA-256 of the program, written once its bench has proven it
//! ```
//!
//! `KEY` stands for artefact, recipe and bench together. One process uses a cache at a time.

use crate::shelf::files::{copy_in, hash_of, key, make_folder, replace, surplus, touch};
use crate::shelf::{Fault, Guard, ShelfError, bench, build, pack, store};
use arena::duel::Program;
use model::file::{EngineFile, EngineSource};
use model::spec::ExternalEngine;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// An engine that is ready to be started.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What its manifest says.
    pub file: EngineFile,
    program: PathBuf,
}

impl Ready {
    /// What the arena starts.
    #[must_use]
    pub fn program(&self) -> Program {
        store::program(&self.program, &self.file)
    }

    /// Whether its program is still kept.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.program.exists()
    }
}

/// The folder of all of it.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Most bytes of programs that are kept.
    most: u64,
}

impl Cache {
    /// The cache in this folder, made if it is not there; programs of at most so many bytes stay.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path, most: u64) -> Result<Self, ShelfError> {
        for part in ["artefacts", "programs"] {
            make_folder(&folder.join(part))?;
        }
        Ok(Self { folder: folder.to_owned(), most })
    }

    /// How many bytes of what an engine is made of are here; `None` where nothing more is needed.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn missing_from(&self, engine: &ExternalEngine) -> Result<Option<u64>, ShelfError> {
        let file = parsed(engine)?;
        if self.proven(engine, &file)?.is_some() || self.whole(engine).exists() {
            return Ok(None);
        }
        Ok(Some(std::fs::metadata(self.part(engine)).map_or(0, |data| data.len())))
    }

    /// Adds the next bytes of an artefact, which come at this offset.
    ///
    /// # Errors
    /// They do not fit, there are too many, or the disk refuses them.
    pub fn append(
        &self,
        engine: &ExternalEngine,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, ShelfError> {
        let path = self.part(engine);
        let io = || ShelfError::io(format!("cannot write {}", path.display()));
        let mut file = File::options().create(true).append(true).open(&path).map_err(io())?;
        let held = file.metadata().map_err(io())?.len();
        let end = held.saturating_add(bytes.len() as u64);
        if held != offset || end > engine.bytes {
            let message = format!("bytes {offset} to {end} of an artefact of {}", engine.bytes);
            return Err(ShelfError::new(Fault::Unavailable, message, ""));
        }
        file.write_all(bytes).map_err(io())?;
        Ok(end)
    }

    /// An artefact has come whole: it is what its hash says, or is thrown away.
    ///
    /// # Errors
    /// It is another.
    pub fn complete(&self, engine: &ExternalEngine) -> Result<(), ShelfError> {
        let part = self.part(engine);
        let found = hash_of(&part)?;
        if found != engine.artefact {
            // Half of something else is of no use to the next attempt.
            let _ = std::fs::remove_file(&part);
            let message = format!("an artefact has the SHA-256 {found}, not {}", engine.artefact);
            return Err(ShelfError::new(Fault::Unavailable, message, ""));
        }
        let io = || ShelfError::io(format!("cannot keep {}", part.display()));
        File::open(&part).and_then(|file| file.sync_all()).map_err(io())?;
        std::fs::rename(&part, self.whole(engine)).map_err(io())
    }

    /// Makes an engine ready: what was made before is found, else the artefact is built in the sandbox
    /// and proven by its bench. May take as long as a build.
    ///
    /// # Errors
    /// It does not build, is not what its manifest means, or the disk does not serve.
    pub fn make_ready(
        &self,
        engine: &ExternalEngine,
        guard: &Guard,
        tell: &dyn Fn(&str),
    ) -> Result<Ready, ShelfError> {
        let file = parsed(engine)?;
        if let Some(program) = self.proven(engine, &file)? {
            touch(&program)?;
            return Ok(Ready { file, program });
        }
        let artefact = self.whole(engine);
        let made = self.make(engine, &file, &artefact, guard, tell);
        // Its program is all that is needed of it, and what has led to none is fetched again.
        let removed = std::fs::remove_file(&artefact);
        let program = made?;
        removed.map_err(ShelfError::io(format!("cannot remove {}", artefact.display())))?;
        Ok(Ready { file, program })
    }

    fn make(
        &self,
        engine: &ExternalEngine,
        file: &EngineFile,
        artefact: &Path,
        guard: &Guard,
        tell: &dyn Fn(&str),
    ) -> Result<PathBuf, ShelfError> {
        let place = self.place(engine, file);
        let (copy, sha256, _) = match &file.source {
            EngineSource::File { .. } => copy_in(artefact, &self.folder.join("programs"))?,
            EngineSource::Folder { recipe, .. } | EngineSource::Git { recipe, .. } => {
                let source = tempfile::Builder::new()
                    .prefix("source-")
                    .tempdir_in(&self.folder)
                    .map_err(ShelfError::io("cannot make a folder for the source"))?;
                pack::unpack(artefact, source.path())?;
                let result = build::build(source.path(), recipe, guard, tell)?;
                copy_in(&result, &self.folder.join("programs"))?
            }
        };
        make_folder(&place)?;
        let program = place.join("program");
        let io = ShelfError::io(format!("cannot write {}", program.display()));
        copy.persist(&program).map_err(|error| io(error.error))?;
        if let Err(error) = bench::prove(&program, file, guard) {
            // It is built anew if it is asked for again.
            let _ = std::fs::remove_dir_all(&place);
            return Err(error);
        }
        replace(&place.join("proof"), sha256.as_bytes())?;
        self.tidy(&place)?;
        Ok(program)
    }

    /// The program of an engine that was made ready before and has not changed since.
    fn proven(
        &self,
        engine: &ExternalEngine,
        file: &EngineFile,
    ) -> Result<Option<PathBuf>, ShelfError> {
        let place = self.place(engine, file);
        let Ok(sha256) = std::fs::read_to_string(place.join("proof")) else { return Ok(None) };
        let program = place.join("program");
        if program.exists() && hash_of(&program)? == sha256 {
            return Ok(Some(program));
        }
        Ok(None)
    }

    /// Forgets the longest unused programs but this one, until few enough bytes are left.
    fn tidy(&self, but: &Path) -> Result<(), ShelfError> {
        let folder = self.folder.join("programs");
        let io = || ShelfError::io(format!("cannot tidy {}", folder.display()));
        let (mut idle, mut bytes) = (Vec::new(), 0);
        for entry in std::fs::read_dir(&folder).map_err(io())?.flatten() {
            let Ok(data) = std::fs::metadata(entry.path().join("program")) else { continue };
            if entry.path() == but {
                bytes += data.len();
            } else {
                idle.push((data.modified().map_err(io())?, data.len(), entry.path()));
            }
        }
        for path in surplus(idle, self.most.saturating_sub(bytes)) {
            std::fs::remove_dir_all(&path).map_err(io())?;
        }
        Ok(())
    }

    fn part(&self, engine: &ExternalEngine) -> PathBuf {
        self.folder.join("artefacts").join(format!("{}.part", engine.artefact))
    }

    fn whole(&self, engine: &ExternalEngine) -> PathBuf {
        self.folder.join("artefacts").join(&engine.artefact)
    }

    fn place(&self, engine: &ExternalEngine, file: &EngineFile) -> PathBuf {
        let mut words = vec![engine.artefact.as_str()];
        if let EngineSource::Folder { recipe, .. } | EngineSource::Git { recipe, .. } = &file.source
        {
            words.push(&recipe.result);
            words.extend(recipe.command.iter().map(String::as_str));
        }
        let signature = file.bench.as_ref().map(|bench| bench.signature.to_string());
        words.push(signature.as_deref().unwrap_or("no bench"));
        let arguments = file.bench.as_ref().map(|bench| &bench.arguments[..]).unwrap_or_default();
        words.extend(arguments.iter().map(String::as_str));
        self.folder.join("programs").join(key(words))
    }
}

/// What the manifest of an engine says. Its hash is checked: it becomes a file's name.
fn parsed(engine: &ExternalEngine) -> Result<EngineFile, ShelfError> {
    let wrong = |found| ShelfError::new(Fault::Unusable, found, "publish the engine again");
    let file = engine.file().map_err(|findings| wrong(findings.to_string()))?;
    engine.check("engine", file.game).map_err(|findings| wrong(findings.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shelf::Mode;
    use sha2::{Digest, Sha256};

    fn guard() -> Guard {
        Guard::new(Mode::Off, None).expect("nothing is needed")
    }

    fn engine(program: &[u8], bench: &str) -> ExternalEngine {
        let artefact = crate::shelf::files::hex(&Sha256::digest(program));
        let manifest = format!(
            "name = \"x\"\ngame = \"chess\"\n[build]\nfile = \"x\"\nsha256 = \"{artefact}\"\n{bench}"
        );
        ExternalEngine { artefact, bytes: program.len() as u64, manifest }
    }

    fn fetched(cache: &Cache, engine: &ExternalEngine, program: &[u8]) {
        assert_eq!(cache.missing_from(engine).expect("an answer"), Some(0));
        let (first, rest) = program.split_at(program.len() / 2);
        assert_eq!(cache.append(engine, 0, first).expect("room"), first.len() as u64);
        // A connection that broke goes on where it was; what does not fit is refused.
        assert_eq!(cache.missing_from(engine).expect("an answer"), Some(first.len() as u64));
        assert!(cache.append(engine, 0, rest).is_err());
        assert!(cache.append(engine, first.len() as u64, program).is_err());
        cache.append(engine, first.len() as u64, rest).expect("room");
        cache.complete(engine).expect("the right hash");
        assert_eq!(cache.missing_from(engine).expect("an answer"), None);
    }

    #[test]
    fn an_artefact_comes_in_parts_and_its_program_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(folder.path(), 1 << 20).expect("a cache");
        let script = b"#!/bin/sh\necho 'Nodes searched: 42'\n";
        let good = engine(script, "[bench]\nsignature = 42\n");
        fetched(&cache, &good, script);
        let ready = cache.make_ready(&good, &guard(), &|_| ()).expect("a program");
        assert!(ready.program.exists());
        let again = Cache::open(folder.path(), 1 << 20).expect("a cache");
        assert_eq!(again.missing_from(&good).expect("an answer"), None);
        again.make_ready(&good, &guard(), &|_| ()).expect("the same program");
        // Another bench is another engine, and this one is none.
        let wrong = engine(script, "[bench]\nsignature = 43\n");
        fetched(&cache, &wrong, script);
        let error = cache.make_ready(&wrong, &guard(), &|_| ()).expect_err("another signature");
        assert_eq!(error.fault, Fault::Signature);
        // A program that was changed is fetched again.
        std::fs::write(&ready.program, "#!/bin/sh\n").expect("a file");
        assert_eq!(cache.missing_from(&good).expect("an answer"), Some(0));
    }

    #[test]
    fn what_is_not_its_hash_is_thrown_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(folder.path(), 1 << 20).expect("a cache");
        let meant = engine(b"#!/bin/sh\n", "");
        cache.append(&meant, 0, b"#!/bin/no\n").expect("room");
        assert_eq!(cache.complete(&meant).expect_err("another").fault, Fault::Unavailable);
        assert_eq!(cache.missing_from(&meant).expect("an answer"), Some(0));
        let outside = ExternalEngine { artefact: "../x".to_owned(), ..meant };
        assert!(cache.missing_from(&outside).is_err());
    }

    #[test]
    fn the_longest_unused_program_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(folder.path(), 100).expect("a cache");
        let script = |number: u8| format!("#!/bin/sh\n# {number:040}\n").into_bytes();
        for number in 0..3 {
            let engine = engine(&script(number), "");
            fetched(&cache, &engine, &script(number));
            cache.make_ready(&engine, &guard(), &|_| ()).expect("a program");
        }
        let kept = |number| {
            let engine = engine(&script(number), "");
            cache.missing_from(&engine).expect("an answer").is_none()
        };
        assert_eq!([0, 1, 2].map(kept), [false, false, true]);
    }
}
