//! What a key may do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The role of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Everything but to play: keys and invitations too.
    Admin,
    /// To file, steer and see runs.
    Author,
    /// To play.
    Worker,
    /// To see.
    ReadOnly,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Admin, Self::Author, Self::Worker, Self::ReadOnly];

    /// As it is written everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Author => "author",
            Self::Worker => "worker",
            Self::ReadOnly => "read-only",
        }
    }

    /// Whether whoever has this role may do what needs `needed`: an admin what an author may, an
    /// author what a reader may; a worker stands apart.
    #[must_use]
    pub fn covers(self, needed: Self) -> bool {
        let rank = |role| match role {
            Self::Admin => 3,
            Self::Author => 2,
            Self::ReadOnly => 1,
            Self::Worker => 0,
        };
        self == needed || (needed != Self::Worker && rank(self) > rank(needed) && rank(self) > 0)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Text that names no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRole;

impl fmt::Display for NoRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("allowed: admin, author, worker, read-only")
    }
}

impl std::error::Error for NoRole {}

impl FromStr for Role {
    type Err = NoRole;

    fn from_str(text: &str) -> Result<Self, NoRole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or(NoRole)
    }
}

#[cfg(test)]
mod tests {
    use super::Role::{self, Admin, Author, ReadOnly, Worker};

    #[test]
    fn a_worker_stands_apart_and_the_others_in_a_row() {
        let may =
            |role: Role| Role::ALL.into_iter().filter(|r| role.covers(*r)).collect::<Vec<_>>();
        assert_eq!(may(Admin), [Admin, Author, ReadOnly]);
        assert_eq!(may(Author), [Author, ReadOnly]);
        assert_eq!(may(ReadOnly), [ReadOnly]);
        assert_eq!(may(Worker), [Worker]);
        for role in Role::ALL {
            assert_eq!(role.name().parse(), Ok(role));
        }
    }
}
