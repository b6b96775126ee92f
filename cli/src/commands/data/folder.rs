//! A folder of games: `manifest.json`, and a file for each shard that is named by its SHA-256.

use crate::output::hinted;
use anyhow::Context;
use data::{Counts, Manifest, Recipe, Shard, ShardEntry};
use net::Network;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MANIFEST: &str = "manifest.json";

/// A folder of games.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    pub(crate) manifest: Manifest,
}

impl Folder {
    /// Opens a folder that has games.
    ///
    /// # Errors
    /// There is no manifest, or it is none.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = path.join(MANIFEST);
        let text = std::fs::read_to_string(&file).map_err(|error| {
            let hint = "elomill data generate makes a folder of games";
            hinted(format_args!("cannot read {}: {error}", file.display()), hint)
        })?;
        let manifest = Manifest::from_json(&text).with_context(|| format!("{}", file.display()))?;
        Ok(Self { path: path.to_owned(), manifest })
    }

    /// Whether a folder has games.
    pub(crate) fn is_one(path: &Path) -> bool {
        path.join(MANIFEST).is_file()
    }

    /// Opens a folder to go on with a recipe, or makes it.
    ///
    /// # Errors
    /// It holds games of another recipe, or cannot be written.
    pub(crate) fn go_on(path: &Path, recipe: &Recipe) -> anyhow::Result<Self> {
        if Self::is_one(path) {
            let folder = Self::open(path)?;
            if folder.manifest.recipe != *recipe {
                let hint = "name another folder with --out, or give the options that it was begun with; \
                            elomill data stats shows them";
                let what = format_args!("{} holds games of another recipe", path.display());
                return Err(hinted(what, hint));
            }
            return Ok(folder);
        }
        std::fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))?;
        let folder = Self { path: path.to_owned(), manifest: Manifest::new(recipe.clone()) };
        folder.write_manifest()?;
        Ok(folder)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a shard that follows the last: first its file, then the manifest, so that a kill between
    /// leaves a file that nobody names.
    ///
    /// # Errors
    /// Something cannot be written.
    pub(crate) fn add(&mut self, shard: &Shard) -> anyhow::Result<()> {
        let bytes = shard.to_bytes();
        let sha256 = Shard::name_of(&bytes);
        replace(&self.file_of(&sha256), &bytes)?;
        let counts = Counts::of(shard);
        let bytes = bytes.len() as u64;
        self.manifest.shards.push(ShardEntry { sha256, bytes, first: shard.first, counts });
        self.write_manifest()
    }

    /// Reads a shard of the manifest.
    ///
    /// # Errors
    /// The file is missing, damaged or another one.
    pub(crate) fn read(&self, entry: &ShardEntry) -> anyhow::Result<Shard> {
        let path = self.file_of(&entry.sha256);
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if Shard::name_of(&bytes) != entry.sha256 {
            let hint = "the file is damaged; take it from a copy, or make the games anew";
            let what = format_args!("{}: its SHA-256 is not its name", path.display());
            return Err(hinted(what, hint));
        }
        let shard = Shard::from_bytes(&bytes).with_context(|| format!("{}", path.display()))?;
        if shard.first != entry.first || Counts::of(&shard) != entry.counts {
            anyhow::bail!("{}: the manifest says of it what is not so", path.display());
        }
        if shard.recipe != self.manifest.recipe.hash() {
            anyhow::bail!("{}: it is of another recipe than the manifest", path.display());
        }
        Ok(shard)
    }

    fn file_of(&self, sha256: &str) -> PathBuf {
        self.path.join(format!("{sha256}.shard"))
    }

    fn write_manifest(&self) -> anyhow::Result<()> {
        replace(&self.path.join(MANIFEST), self.manifest.to_json().as_bytes())
    }
}

/// Reads a network, and the SHA-256 that it is known by.
///
/// # Errors
/// The file cannot be read, or is no network.
pub(crate) fn read_network(path: &Path) -> anyhow::Result<(String, Arc<Network>)> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let network = Network::from_bytes(&bytes).with_context(|| format!("{}", path.display()))?;
    Ok((Network::name_of(&bytes), Arc::new(network)))
}

/// Writes a file whole or not at all.
///
/// # Errors
/// It cannot be written.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = || -> anyhow::Result<()> {
        let mut builder = tempfile::Builder::new();
        // For whoever may read files of this user: temporary ones are for it alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
        let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}
