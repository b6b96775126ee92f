//! `elomill login`: makes a coordinator elsewhere known to the commands of this machine, or prints the
//! link by which a browser signs in to the pages.

use super::keys::role_from_wire;
use crate::client::{Control, explain};
use crate::endpoint::{CoordinatorArgs, Locator};
use crate::output::{hinted, json, line, say};
use anyhow::Context;
use keys::{Link, Token};
use model::Role;
use proto::v1;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The link that an admin has given, in quotes; without it, a link for the browser is printed: good
    /// once, for ten minutes, for whoever opens it
    #[arg(value_name = "LINK")]
    link: Option<Link>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Args {
    /// # Errors
    /// The coordinator cannot be reached or believed, or refuses.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match &self.link {
            Some(link) => self.redeem(link).await,
            None => self.browser().await,
        }
    }

    async fn browser(&self) -> anyhow::Result<ExitCode> {
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let answer = control.keys().sign_in(v1::SignInRequest {}).await.map_err(explain)?;
        let v1::SignInResponse { token, expires_at_unix_ms } = answer.into_inner();
        let token = <[u8; 16]>::try_from(&token[..]).map(Token::from_bytes);
        let token = token.ok().context("the coordinator's answer has no token of 16 bytes")?;
        let url = format!("{}/sign-in/{token}", control.pages());
        if self.json {
            json(&serde_json::json!({ "url": url, "expires_at_unix_ms": expires_at_unix_ms }))?;
        } else {
            say("open this within ten minutes; it signs one browser in, once:");
            line(url)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn redeem(&self, link: &Link) -> anyhow::Result<ExitCode> {
        let locator = Locator::at(&link.address, self.coordinator.folder()?);
        let mut control = Control::connect(&locator).await?;
        let request = v1::RedeemRequest {
            token: link.token.as_bytes().to_vec().into(),
            label: "commands".to_owned(),
        };
        let answer = control.keys().redeem(request).await.map_err(explain)?.into_inner();
        let key = answer.key.unwrap_or_default();
        match role_from_wire(key.role()) {
            Some(role @ (Role::Admin | Role::Author | Role::ReadOnly)) => {
                locator.remember()?;
                let owner = model::printable(&key.owner, 80);
                if self.json {
                    json(&serde_json::json!({ "role": role, "key": key.key_id, "owner": owner }))?;
                } else {
                    say(format_args!(
                        "logged in as {role}, key {} of {owner}; `elomill runs list` asks this \
                         coordinator from now on, unless one runs here",
                        key.key_id,
                    ));
                }
                Ok(ExitCode::SUCCESS)
            }
            _ => Err(hinted(
                "the link makes a worker of whoever redeems it, and has made one of the key of \
                 this data folder",
                "ask for a link with --role author, and log in with another --data-dir; a worker \
                 joins with `elomill worker join LINK`",
            )),
        }
    }
}
