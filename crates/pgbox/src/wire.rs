//! Asks a server whether it takes connections, as `pg_isready` does: a startup packet, then the
//! first byte of the answer.
//!
//! Fetched or minimal installations may lack the client programs, and only two messages of the
//! protocol are needed (PostgreSQL documentation, "Message Formats").

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use crate::{DATABASE, USER};

/// A server on this machine that does not answer within this time is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a connection attempt said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It takes connections.
    Ready,
    /// It is there and says that it is starting, recovering or shutting down.
    NotYet,
    /// Nobody listens, or what listens does not speak.
    Silent,
}

/// Tries one connection.
pub(crate) fn probe(socket: &Path) -> Answer {
    exchange(socket).unwrap_or(Answer::Silent)
}

fn exchange(socket: &Path) -> io::Result<Answer> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&startup_packet())?;
    let mut head = [0; 5];
    stream.read_exact(&mut head)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if head[0] != b'E' {
        // The server sees a client that leaves politely: Terminate.
        let _ = stream.write_all(b"X\0\0\0\x04");
        return Ok(if head[0] == b'R' { Answer::Ready } else { Answer::Silent });
    }
    // An error answer is a few hundred bytes; a length beyond that is not Postgres.
    if !(4..=65536).contains(&length) {
        return Ok(Answer::Silent);
    }
    let mut body = vec![0; length - 4];
    stream.read_exact(&mut body)?;
    Ok(of_error(&body))
}

/// `StartupMessage` of protocol 3.0.
fn startup_packet() -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    for text in ["user", USER, "database", DATABASE, "application_name", "elomill ready?"] {
        body.extend_from_slice(text.as_bytes());
        body.push(0);
    }
    body.push(0);
    let length = u32::try_from(body.len() + 4).expect("a few dozen bytes");
    [&length.to_be_bytes()[..], &body].concat()
}

/// 57P03 (`cannot_connect_now`) means wait; any other refusal, such as 53300 (too many
/// connections), comes from a server that is up.
fn of_error(body: &[u8]) -> Answer {
    let code = body.split(|&byte| byte == 0).find_map(|field| field.strip_prefix(b"C"));
    if code == Some(b"57P03") { Answer::NotYet } else { Answer::Ready }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::net::UnixListener, thread};

    use super::*;

    #[test]
    fn answers_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let error = |code: &str| {
            let body = format!("SFATAL\0C{code}\0Mthe database system is starting up\0\0");
            let length = u32::try_from(body.len() + 4).unwrap();
            [b"E", &length.to_be_bytes()[..], body.as_bytes()].concat()
        };
        let cases = [
            (b"R\0\0\0\x08\0\0\0\0".to_vec(), Answer::Ready),
            (error("57P03"), Answer::NotYet),
            (error("53300"), Answer::Ready),
            (b"HTTP/1.1 400".to_vec(), Answer::Silent),
            (b"E\xff\xff\xff\xff".to_vec(), Answer::Silent),
            (b"".to_vec(), Answer::Silent),
        ];
        for (number, (reply, expected)) in cases.into_iter().enumerate() {
            let path = dir.path().join(number.to_string());
            let listener = UnixListener::bind(&path).unwrap();
            let server = thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 8];
                stream.read_exact(&mut request).unwrap();
                assert_eq!(request[4..], [0, 3, 0, 0]);
                stream.write_all(&reply).unwrap();
            });
            assert_eq!(probe(&path), expected, "case {number}");
            server.join().unwrap();
        }
        assert_eq!(probe(&dir.path().join("nobody")), Answer::Silent);
    }
}
