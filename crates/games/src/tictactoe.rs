//! Three in a row on nine squares: small enough to know the truth about every position.
