//! [`arena::duel::echo`] as a program, for the bench.

fn main() -> std::io::Result<()> {
    arena::duel::echo(std::io::stdin().lock(), std::io::stdout().lock())
}
