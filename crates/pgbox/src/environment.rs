//! Everything this crate takes from the process environment, read in one place.
//!
//! The rest of the crate gets values, so that a test can hand it a made-up machine.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::Error;

/// The environment variables that matter here, as they stood when [`Environment::read`] ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `ELOMILL_PG_BIN`: the directory that holds `initdb` and `postgres`; overrides the search.
    pub pg_bin: Option<PathBuf>,
    /// `PATH`: where `pg_config`, `postgres` and `python3` are looked for.
    pub path: Option<OsString>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_DATA_HOME`: the data directory's parent on Linux, when set.
    pub xdg_data_home: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`: the socket directory's parent, when set (not used by root).
    pub xdg_runtime_dir: Option<PathBuf>,
    /// `LOCALAPPDATA`: the data directory's parent on Windows.
    pub local_app_data: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment. The only place in this crate that does. An empty value counts as
    /// unset.
    pub fn read() -> Environment {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        Environment {
            pg_bin: var("ELOMILL_PG_BIN").map(PathBuf::from),
            path: var("PATH"),
            home: var("HOME").map(PathBuf::from),
            xdg_data_home: var("XDG_DATA_HOME").map(PathBuf::from),
            xdg_runtime_dir: var("XDG_RUNTIME_DIR").map(PathBuf::from),
            local_app_data: var("LOCALAPPDATA").map(PathBuf::from),
        }
    }

    /// Where Elomill keeps its data when nobody says otherwise: `/var/lib/elomill` for root (whose
    /// home the unprivileged server could not enter), `~/Library/Application Support/elomill` on
    /// macOS, `%LOCALAPPDATA%\elomill` on Windows, else `$XDG_DATA_HOME/elomill` or
    /// `~/.local/share/elomill`.
    ///
    /// # Errors
    /// [`Error::NoHome`] when the variable that this needs is not set.
    pub fn default_data_dir(&self) -> Result<PathBuf, Error> {
        self.data_dir_for(is_root(), std::env::consts::OS)
    }

    fn data_dir_for(&self, root: bool, os: &str) -> Result<PathBuf, Error> {
        let parent = match os {
            "windows" => self.local_app_data.clone().ok_or(Error::NoHome("LOCALAPPDATA"))?,
            _ if root => PathBuf::from("/var/lib"),
            "macos" => self.home()?.join("Library/Application Support"),
            // The XDG base directory specification: a relative path is invalid and ignored.
            _ => match self.xdg_data_home.as_deref().filter(|dir| dir.is_absolute()) {
                Some(dir) => dir.to_path_buf(),
                None => self.home()?.join(".local/share"),
            },
        };
        Ok(parent.join("elomill"))
    }

    fn home(&self) -> Result<&Path, Error> {
        self.home.as_deref().ok_or(Error::NoHome("HOME"))
    }

    /// The first executable named `name` on `PATH`.
    pub(crate) fn which(&self, name: &str) -> Option<PathBuf> {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        std::env::split_paths(self.path.as_ref()?)
            .filter(|dir| dir.is_absolute())
            .map(|dir| dir.join(&file))
            .find(|candidate| candidate.is_file())
    }
}

/// Whether this process runs with root's rights.
pub(crate) fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_dir_follows_the_system_and_the_user() {
        let env = Environment {
            home: Some("/home/ada".into()),
            xdg_data_home: None,
            local_app_data: Some("/appdata".into()),
            ..Environment::default()
        };
        let xdg = Environment { xdg_data_home: Some("/xdg".into()), ..env.clone() };
        let relative = Environment { xdg_data_home: Some("xdg".into()), ..env.clone() };
        for (env, root, os, expected) in [
            (&env, false, "linux", "/home/ada/.local/share/elomill"),
            (&xdg, false, "linux", "/xdg/elomill"),
            (&relative, false, "linux", "/home/ada/.local/share/elomill"),
            (&xdg, true, "linux", "/var/lib/elomill"),
            (&env, false, "macos", "/home/ada/Library/Application Support/elomill"),
            (&env, false, "windows", "/appdata/elomill"),
        ] {
            assert_eq!(env.data_dir_for(root, os).unwrap(), Path::new(expected), "{os} {root}");
        }
    }

    #[test]
    fn a_missing_home_is_named() {
        let error = Environment::default().data_dir_for(false, "linux").unwrap_err();
        assert!(error.to_string().contains("HOME"), "{error}");
    }
}
