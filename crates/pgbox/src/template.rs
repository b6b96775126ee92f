//! A packed empty cluster that throwaway servers are unpacked from.
//!
//! initdb costs a second of processor time, unpacking its result into memory a twentieth of that,
//! and a test suite starts many servers. The template is one file in the temporary directory, so that a
//! cleaner of old files removes all of it or nothing; it is used only when it belongs to the
//! server's own user. Whatever fails here, initdb is run instead.

use std::{
    env, fs,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    process::Stdio,
};

use sha2::{Digest, Sha256};

use crate::{Binaries, account::Account};

const TAR: &str = "tar";

/// The template of one user for one installation.
#[derive(Debug)]
pub(crate) struct Template {
    file: PathBuf,
    tar: Option<PathBuf>,
}

impl Template {
    pub(crate) fn new(account: &Account, binaries: &Binaries) -> Template {
        let digest = Sha256::digest(binaries.bin_dir.as_os_str().as_bytes());
        let hash: String = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("elomill-initdb-{}-{}-{hash}.tar", binaries.version, account.uid());
        let tar = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(TAR));
        Template {
            file: env::temp_dir().join(name),
            tar: tar.into_iter().find(|program| program.is_file()),
        }
    }

    /// Fills an empty directory; `false` where there is no template (the directory is empty then).
    pub(crate) fn unpack_into(&self, dir: &Path, account: &Account) -> bool {
        let trusted = fs::symlink_metadata(&self.file)
            .is_ok_and(|meta| meta.is_file() && meta.uid() == account.uid());
        let unpacked = trusted && self.tar(account, "-xf", &self.file, dir);
        if trusted && !(unpacked && dir.join("PG_VERSION").is_file()) {
            let _ = fs::remove_file(&self.file);
            for entry in fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok) {
                let path = entry.path();
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            }
            return false;
        }
        unpacked
    }

    /// Keeps a fresh cluster for the next time.
    pub(crate) fn pack(&self, dir: &Path, account: &Account) {
        let unfinished = self.file.with_extension(format!("{}.tmp", std::process::id()));
        if self.tar(account, "-cf", &unfinished, dir) {
            let _ = fs::rename(&unfinished, &self.file);
        }
        // Gone after a rename; rubbish otherwise.
        let _ = fs::remove_file(&unfinished);
    }

    fn tar(&self, account: &Account, flag: &str, file: &Path, dir: &Path) -> bool {
        let Some(tar) = &self.tar else { return false };
        let mut command = account.command(tar);
        command.arg(flag).arg(file).arg("-C").arg(dir);
        if flag == "-cf" {
            command.arg(".");
        }
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn template(dir: &Path) -> Template {
        Template {
            file: dir.join("t.tar"),
            tar: Some("/bin/tar".into()).filter(|p: &PathBuf| p.is_file()),
        }
    }

    /// A directory of the server's user.
    fn empty(parent: &Path, name: &str, account: &Account) -> PathBuf {
        let dir = parent.join(name);
        fs::create_dir(&dir).unwrap();
        account.give(&dir).unwrap();
        dir
    }

    #[test]
    fn a_template_gives_back_what_was_packed_and_a_broken_one_gives_way() {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let account = Account::for_cluster(Path::new("/nonexistent")).unwrap();
        let template = template(base.path());
        let source = empty(base.path(), "source", &account);
        fs::write(source.join("PG_VERSION"), "15\n").unwrap();
        assert!(!template.unpack_into(&empty(base.path(), "none", &account), &account));

        template.pack(&source, &account);
        let copy = empty(base.path(), "copy", &account);
        assert!(template.unpack_into(&copy, &account));
        assert_eq!(fs::read_to_string(copy.join("PG_VERSION")).unwrap(), "15\n");

        fs::write(&template.file, "not a tar archive").unwrap();
        let copy = empty(base.path(), "broken", &account);
        assert!(!template.unpack_into(&copy, &account));
        assert_eq!(fs::read_dir(&copy).unwrap().count(), 0);
        assert!(!template.file.exists());
    }

    #[test]
    fn a_template_of_another_user_is_not_used() {
        let account = Account::for_cluster(Path::new("/nonexistent")).unwrap();
        if !account.is_dropped() {
            // Only root can make a file of somebody else.
            return;
        }
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let template = template(base.path());
        let source = empty(base.path(), "source", &account);
        fs::write(source.join("PG_VERSION"), "15\n").unwrap();
        template.pack(&source, &account);
        std::os::unix::fs::chown(&template.file, Some(account.uid() + 1), None).unwrap();
        assert!(!template.unpack_into(&empty(base.path(), "copy", &account), &account));
        assert!(template.file.exists());
    }
}
