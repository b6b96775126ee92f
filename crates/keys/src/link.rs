//! The one link that a volunteer is given: `elomill://HOST:PORT/TOKEN#FINGERPRINT`.
//!
//! What stands behind `#` pins the certificate. A link without it trusts the roots of the system.

use crate::address::Address;
use crate::token::Token;
use std::fmt;
use std::str::FromStr;

/// An invitation to a coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it is, always encrypted.
    pub address: Address,
    /// What it is redeemed with.
    pub token: Token,
}

/// Text that is no link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is no link of an invitation: {why}; allowed: elomill://HOST:PORT/TOKEN#FINGERPRINT, \
         as `elomill invite` prints it, whole and in quotes"
)]
pub struct LinkError {
    /// What is wrong. The text itself holds a secret and is not repeated.
    pub why: &'static str,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elomill://{}/{}", self.address.authority(), self.token)?;
        match &self.address.fingerprint {
            Some(fingerprint) => write!(f, "#{fingerprint}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Link {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        let wrong = |why| LinkError { why };
        let text = text.trim();
        let rest = text
            .strip_prefix("elomill://")
            .or_else(|| text.strip_prefix("https://"))
            .ok_or_else(|| wrong("it begins with neither elomill:// nor https://"))?;
        let (rest, fingerprint) = match rest.split_once('#') {
            None => (rest, None),
            Some((rest, digits)) => {
                let why = "the fingerprint behind # is not of 64 hexadecimal digits";
                (rest, Some(digits.parse().map_err(|_| wrong(why))?))
            }
        };
        let (authority, token) = rest.split_once('/').ok_or_else(|| wrong("there is no token"))?;
        let (host, port) = Address::parse_authority(authority).map_err(wrong)?;
        let why = "the token is not of 32 hexadecimal digits";
        let token = token.parse().map_err(|()| wrong(why))?;
        Ok(Self { address: Address { encrypted: true, host, port, fingerprint }, token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_comes_back_as_it_was_written() {
        let fingerprint = "ab".repeat(32);
        let token = "0123456789abcdef0123456789abcdef";
        let text = format!("elomill://10.0.0.5:8117/{token}#{fingerprint}");
        let link: Link = text.parse().unwrap();
        assert_eq!(link.to_string(), text);
        assert_eq!(link.address.to_string(), format!("https://10.0.0.5:8117#{fingerprint}"));
        assert_eq!(text.replace("elomill", "https").parse::<Link>().unwrap(), link);
        let bare: Link = format!("elomill://mill.example:443/{token}").parse().unwrap();
        assert_eq!(bare.address.fingerprint, None);
        assert!(!format!("{link:?}").contains(token));
    }

    #[test]
    fn a_broken_link_says_where_it_is_broken_and_tells_no_secret() {
        let token = "0123456789abcdef0123456789abcdef";
        for (text, why) in [
            (format!("ftp://h:1/{token}"), "neither"),
            (format!("elomill://h:1?{token}"), "no token"),
            (format!("elomill://h:1/{}", &token[..30]), "token is not of 32"),
            (format!("elomill://h:1/{token}#abc"), "fingerprint behind #"),
            (format!("elomill://:1/{token}"), "no host"),
        ] {
            let error = text.parse::<Link>().unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains(&token[..30]), "{error}");
        }
    }
}
