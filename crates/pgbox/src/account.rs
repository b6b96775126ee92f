//! Which user the server runs as.
//!
//! Postgres refuses to run as root. Started by root it runs as the owner of an existing cluster,
//! else as the first of [`CANDIDATES`] that this system has; std drops root's supplementary
//! groups when a command changes its user. Started by anybody else it runs as them.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::Command,
};

use crate::Error;

/// Users to run as, the preferred first. macOS's own are spelt with an underscore.
const CANDIDATES: [&str; 4] = ["elomill", "postgres", "_postgres", "nobody"];

/// The user that the server runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    name: String,
    uid: u32,
    gid: u32,
    /// Whether that is another user than the one running now.
    dropped: bool,
}

impl Account {
    /// Chooses the user for a cluster, which need not exist yet.
    pub(crate) fn for_cluster(cluster: &Path) -> Result<Account, Error> {
        let own = rustix::process::geteuid();
        let owner = fs::metadata(cluster).ok().map(|meta| (meta.uid(), meta.gid()));
        if !own.is_root() {
            return match owner {
                Some((owner, _)) if owner != own.as_raw() => {
                    Err(Error::WrongOwner { path: cluster.to_path_buf(), owner, own: own.as_raw() })
                }
                _ => Ok(Account {
                    name: format!("user id {}", own.as_raw()),
                    uid: own.as_raw(),
                    gid: rustix::process::getegid().as_raw(),
                    dropped: false,
                }),
            };
        }
        if let Some((uid, gid)) = owner.filter(|(uid, _)| *uid != 0) {
            return Ok(Account { name: format!("user id {uid}"), uid, gid, dropped: true });
        }
        Ok(CANDIDATES.into_iter().find_map(Account::named).unwrap_or(Account {
            name: "user id 65534".to_owned(),
            uid: 65534,
            gid: 65534,
            dropped: true,
        }))
    }

    fn named(name: &str) -> Option<Account> {
        let id = |flag: &str| -> Option<u32> {
            let output = Command::new("id").args([flag, name]).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse().ok()
        };
        let (uid, gid) = (id("-u")?, id("-g")?);
        (uid != 0).then(|| Account { name: name.to_owned(), uid, gid, dropped: true })
    }

    pub(crate) fn uid(&self) -> u32 {
        self.uid
    }

    /// Whether root stands back for another user.
    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped
    }

    /// A command in a clean environment that runs as this user.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C").env("PATH", "/usr/bin:/bin").current_dir("/");
        // musl builds bring ICU's data as a file beside the programs.
        if let Some(icu) = program.parent().and_then(Path::parent).map(|dir| dir.join("share/icu"))
            && icu.is_dir()
        {
            command.env("ICU_DATA", icu);
        }
        if self.dropped {
            command.gid(self.gid).uid(self.uid);
        }
        command
    }

    /// Makes a path this user's.
    pub(crate) fn give(&self, path: &Path) -> Result<(), Error> {
        if self.dropped {
            chown(path, Some(self.uid), Some(self.gid)).map_err(Error::io("hand over", path))?;
        }
        Ok(())
    }

    /// Checks that this user can enter a directory by the mode bits of it and of all above it.
    pub(crate) fn require_passage(&self, dir: &Path) -> Result<(), Error> {
        if !self.dropped {
            return Ok(());
        }
        let mut above: Vec<&Path> = dir.ancestors().collect();
        above.reverse();
        for path in above {
            let meta = fs::metadata(path).map_err(Error::io("look at", path))?;
            if !passes(meta.mode(), meta.uid() == self.uid, meta.gid() == self.gid) {
                let user = self.name.clone();
                return Err(Error::NotTraversable { path: path.to_path_buf(), user });
            }
        }
        Ok(())
    }
}

/// Whether the mode bits let somebody through: the first class that applies decides.
fn passes(mode: u32, owner: bool, group: bool) -> bool {
    let bit = match (owner, group) {
        (true, _) => 0o100,
        (false, true) => 0o010,
        (false, false) => 0o001,
    };
    mode & bit != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_class_that_applies_decides() {
        for (mode, owner, group, expected) in [
            (0o711, false, false, true),
            (0o700, false, false, false),
            (0o700, true, false, true),
            (0o750, false, true, true),
            (0o701, false, true, false),
            (0o077, true, true, false),
        ] {
            assert_eq!(passes(mode, owner, group), expected, "{mode:o} {owner} {group}");
        }
    }

    #[test]
    fn a_command_has_no_supplementary_groups_and_a_clean_environment() {
        let account = Account::for_cluster(Path::new("/nonexistent")).unwrap();
        assert_eq!(account.is_dropped(), crate::environment::is_root());
        assert_ne!(account.uid(), 0);
        let mut shell = account.command(Path::new("/bin/sh"));
        let output = shell.arg("-c").arg("id -u; id -G; env; pwd").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(account.uid().to_string().as_str()));
        if account.is_dropped() {
            assert_eq!(lines.next(), Some(account.gid.to_string().as_str()));
        }
        assert!(!text.contains("HOME="), "{text}");
        assert!(text.ends_with("/\n"), "{text}");
    }
}
