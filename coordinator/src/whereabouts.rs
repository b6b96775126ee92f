//! Where the coordinators of this ledger are: this one says so in the ledger, and hears of the others
//! there, for the workers.

use crate::core::chain;
use std::time::Duration;
use store::Ledger;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(5);

/// The addresses as last read, this coordinator's among them if it has one.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts(watch::Sender<Vec<String>>);

impl Whereabouts {
    /// The addresses, now and whenever they change.
    pub(crate) fn all(&self) -> watch::Receiver<Vec<String>> {
        self.0.subscribe()
    }

    /// Announces this coordinator and reads the others, again and again until told to stop.
    pub(crate) async fn keep(&self, ledger: &Ledger, own: Option<&str>, stop: &CancellationToken) {
        loop {
            let looked = async {
                if let Some(own) = own {
                    ledger.announce(own).await?;
                }
                ledger.coordinators().await
            };
            match looked.await {
                Ok(all) => {
                    self.0.send_if_modified(|known| {
                        let changed = *known != all;
                        *known = all;
                        changed
                    });
                }
                // The core says so louder.
                Err(error) => {
                    tracing::debug!(error = %chain(&error), "no coordinators can be read")
                }
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = stop.cancelled() => return,
            }
        }
    }
}
