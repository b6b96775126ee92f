//! `cargo xtask release`: what is offered for download, in one folder: static programs that run on
//! every Linux of their processor, manual pages and completions, their checksums, and a signature.
//!
//! The signature is Ed25519 over the file of checksums, made and verified by OpenSSL 3, which
//! volunteers have: nobody has to install a tool to know what they run.

mod elf;
mod sign;

use anyhow::{Context, bail, ensure};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

/// The system that static programs are for; its libc is linked in.
const TARGET: &str = "x86_64-unknown-linux-musl";
/// The file of checksums, as `sha256sum --check` reads it.
const SUMS: &str = "SHA256SUMS";
/// Shells that completions are made for, with the names that they look for.
const SHELLS: [(&str, &str); 3] =
    [("bash", "elomill.bash"), ("zsh", "_elomill"), ("fish", "elomill.fish")];

/// What the chore takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Command {
    /// The folder, which must be new or empty
    #[arg(long, value_name = "DIR", default_value = "target/release-files")]
    out: PathBuf,
    /// The Ed25519 key that signs, as `openssl genpkey -algorithm ed25519 -out FILE` makes it
    #[arg(long, value_name = "FILE", required_unless_present = "unsigned")]
    key: Option<PathBuf>,
    /// Make everything but the signature, to try it
    #[arg(long, conflicts_with = "key")]
    unsigned: bool,
    /// Which programs: the volunteers' one, the whole command (with manual and completions), or both
    #[arg(long, value_enum, default_value_t = Programs::Both)]
    programs: Programs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Programs {
    Worker,
    Elomill,
    Both,
}

impl Command {
    /// # Errors
    /// A tool is missing, a program does not build or is not static, the key cannot sign.
    pub(crate) fn run(self, root: &Path) -> anyhow::Result<ExitCode> {
        let out = root.join(&self.out);
        std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
        let empty = out.read_dir().is_ok_and(|mut files| files.next().is_none());
        ensure!(empty, "{} is not empty; a release is made from nothing", out.display());
        let key = self.key.as_deref().map(sign::Key::read).transpose()?;
        if self.programs != Programs::Elomill {
            build(root, "worker", "worker", &out.join(format!("elomill-worker-{TARGET}")))?;
        }
        if self.programs != Programs::Worker {
            let elomill = out.join(format!("elomill-{TARGET}"));
            build(root, "cli", "elomill", &elomill)?;
            words(&elomill, &out)?;
        }
        let sums = checksums(&out)?;
        std::fs::write(out.join(SUMS), &sums).context("cannot write the checksums")?;
        match key {
            Some(key) => key.sign(&out, SUMS)?,
            None => eprintln!("not signed"),
        }
        eprint!("{sums}");
        eprintln!("release: {}", out.display());
        Ok(ExitCode::SUCCESS)
    }
}

/// Builds a program that needs no library of the system, and puts it there.
fn build(root: &Path, package: &str, program: &str, to: &Path) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Process::new(cargo);
    command.args(["build", "--release", "--locked", "--target", TARGET]);
    command.args(["--package", package, "--bin", program]).current_dir(root);
    let status = command.status().context("cannot start cargo")?;
    ensure!(
        status.success(),
        "{package} does not build for {TARGET}\nhint: `rustup target add {TARGET}` and a C compiler \
         for it (Debian: musl-tools) are needed"
    );
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let built = target.join(TARGET).join("release").join(program);
    let bytes =
        std::fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    ensure!(elf::is_static(&bytes), "{} asks for libraries of the system", built.display());
    std::fs::copy(&built, to).with_context(|| format!("cannot write {}", to.display()))?;
    run(to, &["--version"]).map(drop)
}

/// Manual and completions, by the program itself.
fn words(elomill: &Path, out: &Path) -> anyhow::Result<()> {
    let man = out.join("man");
    run(elomill, &["man", "--out", man.to_str().context("the folder's name is no text")?])?;
    let completions = out.join("completions");
    std::fs::create_dir_all(&completions)?;
    for (shell, name) in SHELLS {
        std::fs::write(completions.join(name), run(elomill, &["completions", shell])?)?;
    }
    Ok(())
}

fn run(program: &Path, args: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Process::new(program).args(args).output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} {}: {}", program.display(), args.join(" "), said.trim());
    }
    Ok(output.stdout)
}

/// A line for each file below the folder, in the order of their names.
fn checksums(out: &Path) -> anyhow::Result<String> {
    let mut sums = String::new();
    for path in files(out, "")? {
        let bytes =
            std::fs::read(out.join(&path)).with_context(|| format!("cannot read {path}"))?;
        for byte in Sha256::digest(bytes) {
            // Writing into a text cannot fail.
            let _ = write!(sums, "{byte:02x}");
        }
        let _ = writeln!(sums, "  {path}");
    }
    Ok(sums)
}

/// Files below a folder, as paths from it.
fn files(root: &Path, below: &str) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok().context("a file's name is no text")?;
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        match entry.file_type()?.is_dir() {
            true => found.extend(files(root, &path)?),
            false => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_that_the_usual_tool_checks() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("man")).expect("a folder");
        std::fs::write(folder.path().join("man/a.1"), "one").expect("a file");
        std::fs::write(folder.path().join("program"), "two").expect("a file");
        let sums = checksums(folder.path()).expect("read");
        std::fs::write(folder.path().join(SUMS), &sums).expect("a file");
        let check = || {
            let mut command = Process::new("sha256sum");
            command.args(["--check", "--strict", "--quiet", SUMS]).current_dir(folder.path());
            command.output().expect("coreutils are installed").status.success()
        };
        assert_eq!(sums.lines().count(), 2, "{sums}");
        assert!(check(), "{sums}");
        std::fs::write(folder.path().join("program"), "three").expect("a file");
        assert!(!check());
    }
}
