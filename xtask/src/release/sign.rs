//! A detached Ed25519 signature by OpenSSL, and the public key beside it.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The public key as it lies beside the files.
const PUBLIC: &str = "elomill-release.pub";

/// A private key that OpenSSL can read.
#[derive(Debug)]
pub(super) struct Key {
    path: PathBuf,
    /// Its public half as PEM.
    public: Vec<u8>,
}

impl Key {
    /// Looks at the key before anything else is done.
    ///
    /// # Errors
    /// OpenSSL is not installed, or this is no Ed25519 key.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let path = path.canonicalize().with_context(|| format!("no key {}", path.display()))?;
        let of = |more: &[&str]| {
            let mut command = Command::new("openssl");
            command.args(["pkey", "-in"]).arg(&path).args(more);
            output(&mut command)
        };
        let kind = String::from_utf8_lossy(&of(&["-noout", "-text"])?).to_ascii_lowercase();
        if !kind.starts_with("ed25519") {
            bail!(
                "{} is no Ed25519 key\nhint: openssl genpkey -algorithm ed25519 -out FILE",
                path.display()
            );
        }
        let public = of(&["-pubout"])?;
        Ok(Self { path, public })
    }

    /// Signs a file of the folder: the signature is FILE.sig, the public key beside it.
    ///
    /// # Errors
    /// OpenSSL fails, or does not believe its own signature.
    pub(super) fn sign(&self, folder: &Path, file: &str) -> anyhow::Result<()> {
        let signature = format!("{file}.sig");
        std::fs::write(folder.join(PUBLIC), &self.public).context("cannot write the public key")?;
        let mut command = Command::new("openssl");
        command.current_dir(folder).args(["pkeyutl", "-sign", "-rawin", "-in", file, "-inkey"]);
        output(command.arg(&self.path).args(["-out", &signature]))?;
        let mut command = Command::new("openssl");
        command.current_dir(folder).args(["pkeyutl", "-verify", "-rawin", "-in", file]);
        output(command.args(["-pubin", "-inkey", PUBLIC, "-sigfile", &signature]))?;
        Ok(())
    }
}

fn output(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command.output().context("cannot start openssl; install OpenSSL 3")?;
    if !output.status.success() {
        bail!("openssl: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openssl(folder: &Path, words: &str) -> bool {
        let mut command = Command::new("openssl");
        command.args(words.split(' ')).current_dir(folder);
        command.output().expect("openssl is installed").status.success()
    }

    #[test]
    fn what_was_signed_is_believed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        assert!(openssl(folder, "genpkey -algorithm ed25519 -out key.pem"));
        std::fs::write(folder.join("SHA256SUMS"), "a line\n").expect("written");
        let key = Key::read(&folder.join("key.pem")).expect("a key");
        key.sign(folder, "SHA256SUMS").expect("signed");
        // As the page for volunteers has it.
        let verify = "pkeyutl -verify -pubin -inkey elomill-release.pub -rawin -in SHA256SUMS \
                      -sigfile SHA256SUMS.sig";
        assert!(openssl(folder, verify));
        std::fs::write(folder.join("SHA256SUMS"), "a lie\n").expect("written");
        assert!(!openssl(folder, verify));

        assert!(openssl(folder, "genpkey -algorithm x25519 -out other.pem"));
        let error = Key::read(&folder.join("other.pem")).expect_err("another kind");
        assert!(error.to_string().contains("no Ed25519 key"), "{error}");
    }
}
