//! The same function on many inputs, on all cores, with the results in the order of the inputs.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The cores of this machine.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Maps `inputs`; each thread makes a workplace of its own first, which it may reuse but on which
/// no result may depend.
pub(crate) fn map<I: Sync, O: Send, W>(
    inputs: &[I],
    threads: usize,
    workplace: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &I) -> O + Sync,
) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut place, mut done) = (workplace(), Vec::new());
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(index) else { return done };
            done.push((index, work(&mut place, input)));
        }
    };
    let mut done: Vec<(usize, O)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no input panics")).collect()
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, output)| output).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_inputs() {
        let inputs: Vec<u64> = (0..1000).collect();
        let doubled = super::map(&inputs, 4, || (), |(), n| n * 2);
        assert_eq!(doubled, inputs.iter().map(|n| n * 2).collect::<Vec<_>>());
    }
}
