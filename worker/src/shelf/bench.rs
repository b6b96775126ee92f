//! The bench by which a build is recognised: a search of fixed positions whose nodes are counted.

use crate::shelf::{Fault, Guard, ShelfError, policy_of};
use model::file::{EngineBench, EngineFile};
use sandbox::Policy;
use std::path::Path;
use std::process::Stdio;

/// Seconds of processor time that a bench may take.
const BENCH_SECONDS: u64 = 600;

/// That a build is the one that its manifest means; without a bench in it any is.
///
/// # Errors
/// Its bench visits another number of nodes, or says none.
pub fn prove(program: &Path, file: &EngineFile, guard: &Guard) -> Result<(), ShelfError> {
    let Some(bench) = &file.bench else { return Ok(()) };
    let nodes = run_bench(program, file, bench, guard)?;
    if nodes == bench.signature {
        return Ok(());
    }
    Err(ShelfError::new(
        Fault::Signature,
        format_args!(
            "the bench of `{}` visits {nodes} nodes; the manifest says {}",
            file.name, bench.signature
        ),
        "it is another build than the manifest means; if it is the right one, change bench.signature",
    ))
}

/// Runs the bench in the sandbox and reads its number of nodes.
///
/// # Errors
/// It does not start, or says no number of nodes.
pub fn run_bench(
    program: &Path,
    file: &EngineFile,
    bench: &EngineBench,
    guard: &Guard,
) -> Result<u64, ShelfError> {
    let scratch =
        sandbox::Scratch::new().map_err(ShelfError::io("cannot make a scratch folder"))?;
    let policy = Policy {
        cpu_seconds: Some(BENCH_SECONDS),
        scratch: Some(scratch.path().to_owned()),
        read: vec![program.to_owned()],
        ..policy_of(file)
    };
    let output = guard
        .command(&policy, program)
        .args(&bench.arguments)
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .output()
        .map_err(ShelfError::io("cannot start the bench"))?;
    let said = [&output.stdout[..], b"\n", &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    signature(&said).ok_or_else(|| {
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        ShelfError::new(
            Fault::Signature,
            format_args!(
                "the bench ({}) says no number of nodes; its last line: {}",
                output.status,
                model::printable(last, 120)
            ),
            "bench.arguments are the words with which the program counts its nodes and ends",
        )
    })
}
/// The number of nodes of a bench: the last line that has one, as `Nodes searched : 123`,
/// `123 nodes 456 nps`, `Total nodes: 123` or JSON's `"nodes":123` say it.
fn signature(said: &str) -> Option<u64> {
    said.lines().rev().find_map(|line| {
        let line = line.to_ascii_lowercase();
        let at = line.find("nodes")?;
        let (before, after) = (&line[..at], &line[at + "nodes".len()..]);
        // Nodes in each second are no signature.
        if after.trim_start_matches([' ', '/']).starts_with("second") || after.starts_with("/s") {
            return None;
        }
        let is_filler = |c: char| c.is_ascii_whitespace() || ":=\"".contains(c);
        let leading = |text: &str| -> Option<u64> {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        let after = after.trim_start_matches(is_filler);
        let after = after.strip_prefix("searched").unwrap_or(after).trim_start_matches(is_filler);
        leading(after)
            .filter(|_| !before.trim_end().ends_with(|c: char| c.is_ascii_digit()))
            .or_else(|| {
                let word = before.split_ascii_whitespace().next_back()?;
                word.parse().ok()
            })
    })
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn the_number_of_nodes_is_found_as_engines_say_it() {
        for (said, nodes) in [
            (
                "Total time (ms) : 100\nNodes searched  : 4463\nNodes/second    : 44630\n",
                Some(4463),
            ),
            ("info nodes 5\n1234567 nodes 890123 nps", Some(1_234_567)),
            ("bench: 99 nodes", Some(99)),
            ("Total nodes: 12\nbye\n", Some(12)),
            ("{\"nodes\":77,\"nps\":1}", Some(77)),
            ("Nodes per second: none\nnothing", None),
            ("", None),
        ] {
            assert_eq!(signature(said), nodes, "{said}");
        }
    }
}
