//! `elomill invite`: one link that is all a volunteer needs.

use crate::client::{Control, explain};
use crate::endpoint::{CoordinatorArgs, Locator};
use crate::output::{hinted, json, line, say};
use keys::{Address, Link, Token};
use model::Role;
use proto::v1;
use std::process::ExitCode;
use std::time::Duration;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose the machines are that join by it
    #[arg(long, value_name = "NAME", default_value = "volunteers")]
    owner: String,
    /// How long it is good: 30m, 12h, 7d
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = span)]
    expires: Duration,
    /// How many machines may join by it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    uses: u32,
    /// What they may do: worker, read-only, author, admin
    #[arg(long, value_name = "ROLE", default_value = "worker")]
    role: Role,
    /// Where they reach the coordinator [default: what `elomill up --advertise` says, or where it
    /// listens]
    #[arg(long, value_name = "HOST[:PORT]")]
    address: Option<String>,
    /// Print the link and its terms as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Args {
    /// # Errors
    /// No coordinator answers, or this machine's key is no admin's.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let locator = self.coordinator.locator()?;
        let address = self.link_address(&locator)?;
        let mut control = Control::connect(&locator).await?;
        let request = v1::InviteRequest {
            owner: self.owner.clone(),
            role: super::keys::role_to_wire(self.role).into(),
            expires_in_seconds: self.expires.as_secs(),
            uses: self.uses,
        };
        let made = control.keys().invite(request).await.map_err(explain)?.into_inner();
        let token = <[u8; 16]>::try_from(&made.token[..]).map(Token::from_bytes)?;
        let is_local = address.is_loopback();
        let link = Link { address, token };
        if self.json {
            json(&serde_json::json!({
                "link": link.to_string(), "invite_id": made.invite_id, "owner": self.owner,
                "role": self.role, "uses": self.uses,
                "expires_at_unix_ms": made.expires_at_unix_ms,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        line(&link)?;
        let command = match self.role {
            Role::Worker => "elomill worker join",
            Role::Admin | Role::Author | Role::ReadOnly => "elomill login",
        };
        say(format_args!("to join: {command} '{link}'"));
        if is_local {
            say("this coordinator listens to this machine only; start it with \
                 --listen 0.0.0.0:8117 before you invite others");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The address that goes into the link.
    fn link_address(&self, locator: &Locator) -> anyhow::Result<Address> {
        let url: Address = locator.url()?.parse()?;
        let endpoint = locator.endpoint();
        let authority = self.address.as_ref().or(endpoint.as_ref().and_then(|e| e.reach.as_ref()));
        let mut address = url.clone();
        if let Some(text) = authority {
            let (host, port) = Address::parse_authority(text).map_err(|why| {
                hinted(format_args!("--address {text}: {why}"), "give HOST or HOST:PORT")
            })?;
            let has_port = text.ends_with(&format!(":{port}"));
            address.host = host;
            address.port = if has_port { port } else { url.port };
        }
        // A certificate of one's own is renewed: the roots of the system vouch for it.
        if endpoint.is_some_and(|endpoint| !endpoint.pin) && !address.is_loopback() {
            address.fingerprint = None;
        }
        Ok(address)
    }
}

/// A time as people write it.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    let allowed = || "allowed: a number with s, m, h or d, as 7d; 1m to 3650d".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| allowed())?;
    let unit = match &text[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(allowed()),
    };
    let seconds = number.checked_mul(unit).filter(|s| (60..=315_360_000).contains(s));
    seconds.map(Duration::from_secs).ok_or_else(allowed)
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn times_are_numbers_with_a_unit() {
        for (text, seconds) in [("7d", 604_800), ("12h", 43_200), ("90s", 90), ("30m", 1800)] {
            assert_eq!(span(text).unwrap().as_secs(), seconds);
        }
        for text in ["", "7", "d", "-1d", "5s", "4000d", "1y", "99999999999999999999d"] {
            assert!(span(text).unwrap_err().contains("as 7d"), "{text}");
        }
    }
}
