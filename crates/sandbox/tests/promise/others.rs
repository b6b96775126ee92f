//! The network, other processes, and the end.

use crate::support::{FELON, refused, under};
use rustix::process::{Pid, Signal, kill_process};
use sandbox::{Policy, Processes};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};

#[test]
fn i20_nobody_is_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    refused(&["listen"]);
    refused(&["datagram"]);
    refused(&["connect", &address]);
}

#[test]
fn i20_no_other_process_is_started_signalled_or_looked_into() {
    let own = std::process::id().to_string();
    for deed in ["signal", "trace", "peek", "limit", "renice"] {
        refused(&[deed, &own]);
    }
    refused(&["fork"]);
    // An engine may think with many threads, and a script around one may start it.
    assert_eq!(under(&Policy::default(), &["threads"]), "done");
    let many = Policy { processes: Processes::Many, ..Policy::default() };
    assert_eq!(under(&many, &["fork"]), "done");
    assert!(under(&many, &["signal", &own]).starts_with("refused"));
}

/// A parent whose child wants to live on, what the child says, and its number.
fn family(how: &str) -> (Child, BufReader<ChildStdout>, i32, bool) {
    let mut parent = Command::new(FELON)
        .args(["start", how])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(parent.stdout.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("the child speaks");
    let mut words = line.split_whitespace();
    let pid = words.next().and_then(|word| word.parse().ok()).expect("a number");
    (parent, said, pid, words.next() == Some("true"))
}

#[test]
fn i20_nobody_outlives_who_started_it() {
    let (mut parent, _said, child, _) = family("free");
    parent.kill().and_then(|()| parent.wait().map(drop)).expect("it is killed");
    let child = Pid::from_raw(child).expect("a process");
    kill_process(child, Signal::KILL).expect("without a sandbox it lives on");
    let (mut parent, mut said, _, is_freed) = family("shut-in");
    assert!(!is_freed, "it may not choose to live on");
    parent.kill().and_then(|()| parent.wait().map(drop)).expect("it is killed");
    // The pipe is closed when the last who holds it is gone.
    said.read_to_end(&mut Vec::new()).expect("the end");
}
