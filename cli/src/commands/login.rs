//! `elomill login LINK`: makes a coordinator elsewhere known to the commands of this machine.

use super::keys::role_from_wire;
use crate::client::{Control, explain};
use crate::data_dir::DataDirArgs;
use crate::endpoint::Locator;
use crate::output::{hinted, say};
use keys::Link;
use model::Role;
use proto::v1;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The link that an admin has given, in quotes
    #[arg(value_name = "LINK")]
    link: Link,
    #[command(flatten)]
    data_dir: DataDirArgs,
}

impl Args {
    /// # Errors
    /// The coordinator cannot be reached or believed, or refuses.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let locator = Locator::at(&self.link.address, self.data_dir.resolve()?);
        let mut control = Control::connect(&locator).await?;
        let request = v1::RedeemRequest {
            token: self.link.token.as_bytes().to_vec().into(),
            label: "commands".to_owned(),
        };
        let answer = control.keys().redeem(request).await.map_err(explain)?.into_inner();
        let key = answer.key.unwrap_or_default();
        match role_from_wire(key.role()) {
            Some(role @ (Role::Admin | Role::Author | Role::ReadOnly)) => {
                locator.remember()?;
                say(format_args!(
                    "logged in as {role}, key {} of {}; `elomill runs list` asks this coordinator \
                     from now on, unless one runs here",
                    key.key_id,
                    model::printable(&key.owner, 80)
                ));
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
