//! Where a coordinator is and by what it is known: `https://HOST:PORT#FINGERPRINT`.

use crate::public::Fingerprint;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The port when none is named.
const USUAL_PORT: u16 = 8117;

/// An address of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Whether the connection is encrypted. Plain ones reach no further than this machine.
    pub encrypted: bool,
    /// A name or an IP address, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Of the certificate; without it the roots of the system vouch for the host.
    pub fingerprint: Option<Fingerprint>,
}

/// Text that is no address of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{found}` is no address of a coordinator: {why}; allowed: https://HOST:PORT#FINGERPRINT, \
         or without #FINGERPRINT when the certificate is one that this system trusts"
)]
pub struct AddressError {
    /// What was given.
    pub found: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Address {
    /// `https://HOST:PORT` alone, as a browser takes it.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = if self.encrypted { "https" } else { "http" };
        format!("{scheme}://{}", self.authority())
    }

    /// `HOST:PORT`.
    #[must_use]
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Whether it cannot be reached but from this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let by_number = |ip: IpAddr| ip.to_canonical().is_loopback();
        self.host.parse().map_or(self.host.eq_ignore_ascii_case("localhost"), by_number)
    }

    /// Host and port of `HOST:PORT`, `HOST` or `[IPV6]:PORT`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse_authority(text: &str) -> Result<(String, u16), &'static str> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or("the bracket is not closed")?;
                (host, if rest.is_empty() { None } else { rest.strip_prefix(':') })
            }
            None => match text.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
        if host.is_empty() || !host.chars().all(plain) {
            return Err("there is no host");
        }
        if host.contains(':') && host.parse::<IpAddr>().is_err() {
            return Err("the host is no IPv6 address");
        }
        let port = match port {
            None => USUAL_PORT,
            Some(port) => port.parse().ok().filter(|p| *p != 0).ok_or("the port is none")?,
        };
        Ok((host.to_owned(), port))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin())?;
        match &self.fingerprint {
            Some(fingerprint) => write!(f, "#{fingerprint}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let wrong = |why| AddressError { found: text.chars().take(200).collect(), why };
        let (encrypted, rest) = if let Some(rest) = text.strip_prefix("https://") {
            (true, rest)
        } else if let Some(rest) = text.strip_prefix("http://") {
            (false, rest)
        } else {
            return Err(wrong("it begins with neither https:// nor http://"));
        };
        let (rest, fingerprint) = match rest.split_once('#') {
            None => (rest, None),
            Some((rest, digits)) => {
                let fingerprint = digits.parse();
                let why = "behind # there are no 64 hexadecimal digits";
                (rest, Some(fingerprint.map_err(|_| wrong(why))?))
            }
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = Address::parse_authority(authority).map_err(wrong)?;
        let address = Self { encrypted, host, port, fingerprint };
        if !encrypted && !address.is_loopback() {
            return Err(wrong("a plain connection would leave this machine"));
        }
        if !encrypted && fingerprint.is_some() {
            return Err(wrong("a plain connection has no certificate"));
        }
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINGERPRINT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    #[test]
    fn an_address_comes_back_as_it_was_written() {
        for text in [
            "https://mill.example:8117".to_owned(),
            format!("https://192.168.0.7:443#{FINGERPRINT}"),
            format!("https://[::1]:8117#{FINGERPRINT}"),
            "http://127.0.0.1:9".to_owned(),
            "http://localhost:9".to_owned(),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        assert_eq!("https://h/".parse::<Address>().unwrap().to_string(), "https://h:8117");
    }

    #[test]
    fn nonsense_is_refused_with_what_is_wrong() {
        for (text, why) in [
            ("mill.example:8117", "neither"),
            ("https://", "no host"),
            ("https://:80", "no host"),
            ("https://a b", "no host"),
            ("https://h:0", "port"),
            ("https://h:70000", "port"),
            ("https://::g:80", "no IPv6"),
            ("https://[::1", "bracket"),
            ("https://h#12", "64 hex"),
            ("http://mill.example:8117", "leave this machine"),
            ("https://h/path", "no host"),
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("allowed: https://"), "{error}");
        }
    }
}
