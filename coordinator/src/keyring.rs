//! Which keys are good, and for what: the ledger's keys in memory, and the connections that are open
//! with each.
//!
//! Read again within two seconds of every change, whoever made it, so that a key that was revoked is
//! dead within five: its connections break, and its worker loses its leases. While the ledger is
//! away the keys stay as they were.

use crate::core::Handle;
use crate::rate::{Bucket, Limit};
use keys::PublicKey;
use model::Role;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use store::{Ledger, NewKey, StoreError, StoredKey};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Between two looks at the ledger.
const LOOK: Duration = Duration::from_secs(2);

/// A look takes no longer: the time limit of a statement.
const LOOK_WITHIN: Duration = Duration::from_secs(20);

/// Somebody whose key is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Number of the key.
    pub id: i64,
    /// The key.
    pub key: PublicKey,
    /// Whose it is.
    pub owner: Arc<str>,
    /// What it may do.
    pub role: Role,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is good.
    Good(Caller),
    /// It was good until it was revoked.
    Revoked {
        /// Why.
        reason: Arc<str>,
    },
    /// Nobody has admitted it.
    Unknown,
}

/// The keys and the open connections. A lock is held for a look only, never across a wait.
pub struct Keyring {
    ledger: Ledger,
    state: RwLock<State>,
    /// Raised when a key was changed by this coordinator itself.
    changed: Notify,
    began: Instant,
}

#[derive(Default)]
struct State {
    version: i64,
    keys: HashMap<PublicKey, Standing>,
    /// Admitted by this coordinator so lately that a look that is under way may not have seen them.
    admitted: Vec<(Instant, PublicKey, Standing)>,
    open: HashMap<PublicKey, Open>,
    /// Revoked keys whose workers the core has not expelled yet.
    to_expel: BTreeSet<PublicKey>,
}

struct Open {
    connections: usize,
    over: CancellationToken,
    /// What is left of the calls that its key may make.
    calls: Bucket,
}

/// Connections of one key at the same time.
const MOST_CONNECTIONS: usize = 256;
/// Calls of one key.
const CALLS: Limit = Limit { per_second: 200.0, burst: 2_000.0 };

/// An open connection of a key; the token is cancelled when the key is revoked.
pub struct Held {
    keyring: Arc<Keyring>,
    key: PublicKey,
    /// When the connection has to break.
    pub over: CancellationToken,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.keyring.write();
        if let Some(open) = state.open.get_mut(&self.key) {
            open.connections -= 1;
            if open.connections == 0 {
                state.open.remove(&self.key);
            }
        }
    }
}

impl Keyring {
    /// Admits the keys that a coordinator is started with, and reads all of them.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn open(ledger: Ledger, founders: &[NewKey]) -> Result<Arc<Self>, StoreError> {
        ledger.admit_keys(founders).await?;
        let (state, changed, began) = (RwLock::default(), Notify::new(), Instant::now());
        let keyring = Self { ledger, state, changed, began };
        keyring.look().await?;
        Ok(Arc::new(keyring))
    }

    /// What is known of a key now.
    #[must_use]
    pub fn standing(&self, key: &PublicKey) -> Standing {
        self.read().keys.get(key).cloned().unwrap_or(Standing::Unknown)
    }

    /// A key was admitted by this coordinator: it is good from now on, without a look at all of them.
    pub fn admit(&self, stored: StoredKey) {
        let (key, standing) = standing(stored);
        let mut state = self.write();
        state.keys.insert(key, standing.clone());
        state.admitted.push((Instant::now(), key, standing));
    }

    /// Notes a connection of a key, to be broken when the key is revoked; `None` when the key has as
    /// many as it may have.
    #[must_use]
    pub fn hold(self: &Arc<Self>, key: PublicKey) -> Option<Held> {
        let now = self.began.elapsed();
        let mut state = self.write();
        let open = state.open.entry(key).or_insert_with(|| Open {
            connections: 0,
            over: CancellationToken::new(),
            calls: Bucket::full(CALLS, now),
        });
        if open.connections >= MOST_CONNECTIONS {
            return None;
        }
        open.connections += 1;
        let over = open.over.clone();
        drop(state);
        Some(Held { keyring: self.clone(), key, over })
    }

    /// Notes a call of a key with an open connection.
    ///
    /// # Errors
    /// It has made too many; the next is welcome after this time.
    pub fn note_call(&self, key: &PublicKey) -> Result<(), Duration> {
        let now = self.began.elapsed();
        self.write().open.get_mut(key).map_or(Ok(()), |open| open.calls.take(now))
    }

    /// Reads the keys again if one has changed, breaks the connections of those that were revoked,
    /// and wakes [`Keyring::keep`].
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn look(&self) -> Result<(), StoreError> {
        // The number first: a change in between is seen by the next look.
        let version = self.ledger.keyring_version().await?;
        if version == self.read().version {
            return Ok(());
        }
        let keys: HashMap<_, _> = self.ledger.keys().await?.into_iter().map(standing).collect();
        let mut state = self.write();
        let revoked: Vec<PublicKey> = keys
            .iter()
            .filter(|(_, standing)| matches!(standing, Standing::Revoked { .. }))
            .filter(|(key, standing)| state.keys.get(key) != Some(standing))
            .map(|(key, _)| *key)
            .collect();
        for key in revoked {
            state.to_expel.insert(key);
            // Those who hold it find it cancelled; whoever connects anew is refused each call.
            if let Some(open) = state.open.get(&key) {
                open.over.cancel();
            }
        }
        state.keys = keys;
        state.admitted.retain(|(at, _, _)| at.elapsed() < LOOK_WITHIN);
        let State { keys, admitted, .. } = &mut *state;
        for (_, key, standing) in admitted {
            keys.entry(*key).or_insert_with(|| standing.clone());
        }
        state.version = version;
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Looks again and again, and has the workers of revoked keys expelled, until told to stop.
    pub async fn keep(&self, core: &Handle, shutdown: &CancellationToken) {
        loop {
            if let Err(error) = self.look().await {
                tracing::debug!(error = %crate::core::chain(&error), "the keys cannot be read now");
            }
            let waiting: Vec<_> = self.read().to_expel.iter().copied().collect();
            for key in waiting {
                // Of a ledger that fails the next round tries again.
                if core.expel(key).await.is_ok() {
                    self.write().to_expel.remove(&key);
                }
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = self.changed.notified() => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        // What a panicking holder left is whole in each of its fields.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn standing(stored: StoredKey) -> (PublicKey, Standing) {
    let key = PublicKey::from_bytes(stored.key.public_key);
    let standing = match stored.revoked_at_unix_ms {
        Some(_) => Standing::Revoked { reason: stored.revoked_reason.into() },
        None => Standing::Good(Caller {
            id: stored.id,
            key,
            owner: stored.key.owner.into(),
            role: stored.key.role,
        }),
    };
    (key, standing)
}
