//! Typed ids for every entity. A `RunId` cannot be passed where a `WorkerId` is asked.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// One job of the cluster; small integers that people type.
    RunId
);
id!(
    /// One worker process with a state directory of its own; stable over its restarts.
    WorkerId
);
id!(
    /// A slice of a run handed to one worker.
    LeaseId
);
id!(
    /// The position of a merged report in the ledger: the order of everything that counts.
    ReportId
);
id!(
    /// A stored state of a run, good up to one report.
    SnapshotId
);
