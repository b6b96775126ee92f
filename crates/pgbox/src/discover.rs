//! Finds the server programs that are already on this machine.
//!
//! Order: `ELOMILL_PG_BIN` (then nothing else), what was fetched into the data directory before,
//! the newest of the distributions' versioned places, `pg_config --bindir`, the places of macOS
//! packagers, `PATH`. A place counts when it holds `initdb` and `postgres` of the same version,
//! 14 or newer.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Environment, install_hint};

/// The oldest major version that Elomill's statements run on.
const OLDEST_MAJOR: u32 = 14;

/// Where distributions keep versioned installations; `*` stands for one directory name.
const VERSIONED_PLACES: [&str; 4] = [
    "usr/lib/postgresql/*/bin", // Debian, Ubuntu
    "usr/pgsql-*/bin",          // the PostgreSQL project's RPMs
    "usr/libexec/postgresql*",  // Alpine
    "usr/lib/postgresql*/bin",  // openSUSE, Gentoo (slots)
];

/// Where macOS packagers keep them.
const MACOS_PLACES: [&str; 5] = [
    "opt/homebrew/opt/postgresql*/bin",
    "usr/local/opt/postgresql*/bin",
    "home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
    "Applications/Postgres.app/Contents/Versions/*/bin",
    "Library/PostgreSQL/*/bin",
];

/// A Postgres version, such as 15.18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number that decides which clusters the programs can open.
    pub major: u32,
    /// The bug-fix release.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Version {
    /// Reads what `postgres --version` prints: `postgres (PostgreSQL) 15.18 (Debian …)`, or
    /// `18beta1` in the number's place.
    fn parse(text: &str) -> Option<Version> {
        let number = text.split("(PostgreSQL)").nth(1)?.split_whitespace().next()?;
        let digits =
            |text: &str| -> String { text.chars().take_while(char::is_ascii_digit).collect() };
        let major = digits(number);
        let minor = number[major.len()..].strip_prefix('.').map(digits).unwrap_or_default();
        Some(Version { major: major.parse().ok()?, minor: minor.parse().unwrap_or(0) })
    }
}

/// One usable set of server programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// The directory that holds `initdb` and `postgres`.
    pub bin_dir: PathBuf,
    /// Their version.
    pub version: Version,
}

impl Binaries {
    /// Looks at one directory; the error is a short reason.
    pub(crate) fn inspect(bin_dir: &Path) -> Result<Binaries, String> {
        let bin_dir = bin_dir.canonicalize().map_err(|error| error.to_string())?;
        let server = version_of(&bin_dir, "postgres")?;
        let initdb = version_of(&bin_dir, "initdb")?;
        if server != initdb {
            return Err(format!("its initdb is {initdb} but its postgres is {server}"));
        }
        if server.major < OLDEST_MAJOR {
            return Err(format!("is {server}, and Elomill needs {OLDEST_MAJOR} or newer"));
        }
        Ok(Binaries { bin_dir, version: server })
    }

    /// The path of one of the programs.
    #[cfg(unix)]
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin_dir.join(name)
    }
}

fn version_of(bin_dir: &Path, name: &str) -> Result<Version, String> {
    let program = bin_dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        return Err(format!("has no {name}"));
    }
    let output = Command::new(&program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("its {name} does not run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Version::parse(&text).ok_or_else(|| format!("its {name} --version printed {:?}", text.trim()))
}

/// All usable programs of this machine, the preferred first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    best: Binaries,
    others: Vec<Binaries>,
}

impl From<Binaries> for Found {
    fn from(best: Binaries) -> Found {
        Found { best, others: Vec::new() }
    }
}

impl Found {
    /// The preferred programs: those that make a new cluster.
    pub fn best(&self) -> &Binaries {
        &self.best
    }

    /// The preferred programs of one major version: those that can open its cluster.
    pub fn for_major(&self, major: u32) -> Option<&Binaries> {
        self.all().find(|binaries| binaries.version.major == major)
    }

    /// All of them, the preferred first.
    pub fn all(&self) -> impl Iterator<Item = &Binaries> {
        std::iter::once(&self.best).chain(&self.others)
    }
}

/// No usable server programs were found; names what was searched and the command that installs
/// some.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no PostgreSQL server (initdb and postgres, version 14 or newer) found; searched {}\nhint: {hint}", searched.join(", "))]
pub struct FindError {
    /// The places, each with what was wrong with it.
    pub searched: Vec<String>,
    /// The command that installs a server on this system.
    pub hint: String,
}

/// Where to look.
#[derive(Clone, Debug)]
pub struct Search {
    env: Environment,
    data_dir: PathBuf,
    root: Option<PathBuf>,
}

impl Search {
    /// A search of this machine and of what was fetched into `data_dir` before.
    pub fn new(env: &Environment, data_dir: &Path) -> Search {
        Search {
            env: env.clone(),
            data_dir: data_dir.to_path_buf(),
            root: Some(PathBuf::from("/")),
        }
    }

    /// The same without the machine's own installations: only `ELOMILL_PG_BIN` and what was
    /// fetched count.
    #[must_use]
    pub fn without_system(self) -> Search {
        Search { root: None, ..self }
    }

    /// Finds the programs.
    ///
    /// # Errors
    /// [`FindError`] when there are none, or when `ELOMILL_PG_BIN` is set and holds none.
    pub fn find(&self) -> Result<Found, FindError> {
        let mut searched = Vec::new();
        let mut usable: Vec<Binaries> = Vec::new();
        for place in self.places() {
            let dirs = match &place {
                Place::Directory { path, .. } => vec![path.clone()],
                Place::Pattern { root, pattern } => expand(root, pattern),
            };
            let mut reasons = Vec::new();
            let mut here = Vec::new();
            for dir in dirs {
                match Binaries::inspect(&dir) {
                    Ok(binaries) => here.push(binaries),
                    Err(reason) => reasons.push(format!("{} {reason}", dir.display())),
                }
            }
            here.sort_by_key(|binaries| std::cmp::Reverse(binaries.version));
            for binaries in here {
                if !usable.iter().any(|known| known.bin_dir == binaries.bin_dir) {
                    usable.push(binaries);
                }
            }
            let reasons = if reasons.is_empty() {
                String::new()
            } else {
                format!(" ({})", reasons.join("; "))
            };
            searched.push(format!("{place}{reasons}"));
        }
        let mut usable = usable.into_iter();
        match usable.next() {
            Some(best) => Ok(Found { best, others: usable.collect() }),
            None => Err(FindError { searched, hint: install_hint() }),
        }
    }

    /// The places in order of preference.
    fn places(&self) -> Vec<Place> {
        if let Some(bin) = &self.env.pg_bin {
            return vec![Place::Directory { name: "ELOMILL_PG_BIN", path: bin.clone() }];
        }
        let pattern = |root: &Path, pattern| Place::Pattern { root: root.to_path_buf(), pattern };
        let mut places = vec![pattern(&self.data_dir, "postgres/*/bin")];
        let Some(root) = &self.root else { return places };
        places.extend(VERSIONED_PLACES.map(|place| pattern(root, place)));
        if let Some(dir) = self.env.which("pg_config").and_then(|program| bindir_of(&program)) {
            places.push(Place::Directory { name: "pg_config", path: dir });
        }
        places.extend(MACOS_PLACES.map(|place| pattern(root, place)));
        if let Some(dir) = self.env.which("postgres").and_then(|p| Some(p.parent()?.to_path_buf()))
        {
            places.push(Place::Directory { name: "PATH", path: dir });
        } else {
            places.push(Place::Directory { name: "PATH", path: PathBuf::from("PATH") });
        }
        places
    }
}

/// One line of the search.
enum Place {
    Directory { name: &'static str, path: PathBuf },
    Pattern { root: PathBuf, pattern: &'static str },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Directory { name, .. } => f.write_str(name),
            Place::Pattern { root, pattern } => write!(f, "{}", root.join(pattern).display()),
        }
    }
}

/// What `pg_config --bindir` says: the server's programs or, with a client-only package, a
/// directory without them.
fn bindir_of(pg_config: &Path) -> Option<PathBuf> {
    let output = Command::new(pg_config).arg("--bindir").stdin(Stdio::null()).output().ok()?;
    let dir = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(dir.trim())).filter(|dir| dir.is_absolute())
}

/// The existing directories that match `pattern` (at most one `*` per component), by name.
fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut dirs = vec![root.to_path_buf()];
    for component in pattern.split('/') {
        dirs = dirs
            .into_iter()
            .flat_map(|dir| match component.split_once('*') {
                None => vec![dir.join(component)],
                Some((prefix, suffix)) => children(&dir, prefix, suffix),
            })
            .collect();
    }
    dirs.retain(|dir| dir.is_dir());
    dirs
}

fn children(dir: &Path, prefix: &str, suffix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| {
            entry.file_name().to_str().is_some_and(|name| {
                !name.starts_with('.')
                    && name.len() >= prefix.len() + suffix.len()
                    && name.starts_with(prefix)
                    && name.ends_with(suffix)
            })
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    /// A directory with shell scripts that answer `--version`.
    fn fake(bin: &Path, postgres: &str, initdb: Option<&str>) {
        fs::create_dir_all(bin).unwrap();
        for (name, version) in [("postgres", Some(postgres)), ("initdb", initdb)] {
            let Some(version) = version else { continue };
            let file = bin.join(name);
            let script = format!("#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n");
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn machine() -> (TempDir, Search) {
        let root = tempfile::tempdir().unwrap();
        let search = Search {
            env: Environment::default(),
            data_dir: root.path().join("data"),
            root: Some(root.path().to_path_buf()),
        };
        (root, search)
    }

    #[test]
    fn versions_are_read_as_packagers_print_them() {
        for (text, expected) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", Some((15, 18))),
            ("initdb (PostgreSQL) 17.10", Some((17, 10))),
            ("postgres (PostgreSQL) 18beta1", Some((18, 0))),
            ("postgres (PostgreSQL) 9.6.24", Some((9, 6))),
            ("postgres (EnterpriseDB) 15", None),
            ("", None),
        ] {
            let version = Version::parse(text).map(|v| (v.major, v.minor));
            assert_eq!(version, expected, "{text:?}");
        }
    }

    #[test]
    fn newest_usable_wins_by_number_not_by_name() {
        let (root, search) = machine();
        let places = root.path().join("usr/lib/postgresql");
        fake(&places.join("9.6/bin"), "9.6.24", Some("9.6.24"));
        fake(&places.join("14/bin"), "14.3", Some("14.3"));
        fake(&places.join("15/bin"), "15.1", None);
        fake(&places.join("100/bin"), "100.1", Some("100.0"));
        fake(&places.join("16/bin"), "16.2", Some("16.2"));
        let found = search.find().unwrap();
        assert_eq!(found.best().version, Version { major: 16, minor: 2 });
        let all: Vec<u32> = found.all().map(|binaries| binaries.version.major).collect();
        assert_eq!(all, [16, 14]);
        assert_eq!(found.for_major(14).unwrap().version.minor, 3);
        assert!(found.for_major(15).is_none());
    }

    #[test]
    fn fetched_programs_come_before_the_systems() {
        let (root, search) = machine();
        fake(&root.path().join("usr/lib/postgresql/18/bin"), "18.1", Some("18.1"));
        fake(&root.path().join("data/postgres/17.10/bin"), "17.10", Some("17.10"));
        assert_eq!(search.find().unwrap().best().version.major, 17);
    }

    #[test]
    fn an_explicit_directory_is_the_only_one() {
        let (root, mut search) = machine();
        fake(&root.path().join("usr/lib/postgresql/18/bin"), "18.1", Some("18.1"));
        fake(&root.path().join("mine"), "14.1", Some("14.1"));
        search.env.pg_bin = Some(root.path().join("mine"));
        assert_eq!(search.find().unwrap().best().version.major, 14);
        search.env.pg_bin = Some(root.path().join("nothing"));
        let error = search.find().unwrap_err();
        assert!(error.to_string().contains("ELOMILL_PG_BIN"), "{error}");
    }

    #[test]
    fn path_is_searched_last() {
        let (root, mut search) = machine();
        fake(&root.path().join("bin"), "15.2", Some("15.2"));
        search.env.path = Some(root.path().join("bin").into_os_string());
        assert_eq!(search.find().unwrap().best().version.major, 15);
        fake(&root.path().join("Library/PostgreSQL/14/bin"), "14.2", Some("14.2"));
        assert_eq!(search.find().unwrap().best().version.major, 14);
    }

    #[test]
    fn not_found_names_the_places_the_reasons_and_the_package() {
        let (root, search) = machine();
        fake(&root.path().join("usr/lib/postgresql/13/bin"), "13.9", Some("13.9"));
        let error = search.find().unwrap_err();
        assert_eq!(error.hint, install_hint());
        let text = error.to_string();
        for expected in ["13.9", "14 or newer", "opt/homebrew", "PATH", "hint: "] {
            assert!(text.contains(expected), "{expected} not in {text}");
        }
    }
}
