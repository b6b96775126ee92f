//! Who never evaluates what another does not, on trees of every kind.

use super::{Algorithm, Done, Memory, Perfect, Settings, Uniform, run, settings, small_tree};
use super::{Budget, Leaves, Order};
use Algorithm::{
    AlphaBeta, AspirationNegaScout, Dual, Minimax, MtDual, MtSss, MtdF, NegaScout, Scout, Sss,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn all_find_the_same_value(mut tree in small_tree(), guess in -600i32..600, table in 0usize..2) {
        let value = super::true_value(&mut tree);
        for algorithm in Algorithm::ALL {
            let settings = Settings { table_mb: table, ..settings(guess) };
            let found = algorithm.run(&mut tree, &settings, &mut |_| {});
            prop_assert_eq!(found.value, Some(value), "{:?}", algorithm);
            prop_assert!(found.counts.distinct_leaves <= found.counts.leaves);
        }
    }

    #[test]
    fn fewer_leaves_are_a_part_of_more(mut tree in small_tree()) {
        let [minimax, alpha_beta, nega_scout, sss, dual] =
            [Minimax, AlphaBeta, NegaScout, Sss, Dual].map(|a| run(a, &mut tree, 0).leaves);
        prop_assert!(alpha_beta.is_subset(&minimax));
        prop_assert!(nega_scout.is_subset(&alpha_beta));
        prop_assert!(sss.is_subset(&alpha_beta));
        prop_assert!(dual.is_subset(&alpha_beta));
    }

    /// The theorem of Plaat, Schaeffer, Pijls and de Bruin (1996).
    #[test]
    fn mt_sss_evaluates_the_leaves_of_sss_and_mt_dual_those_of_dual(mut tree in small_tree()) {
        for (explicit, driver) in [(Sss, MtSss), (Dual, MtDual)] {
            let [explicit, driver] = [explicit, driver].map(|a| run(a, &mut tree, 0));
            prop_assert_eq!(explicit.leaves, driver.leaves);
        }
    }

    /// What [`Algorithm::is_straight`] claims, and the count of distinct leaves rests on.
    #[test]
    fn a_straight_algorithm_evaluates_no_leaf_twice(mut tree in small_tree()) {
        for algorithm in Algorithm::ALL.into_iter().filter(|a| a.is_straight()) {
            let Done { counts, leaves, .. } = run(algorithm, &mut tree, 0);
            prop_assert_eq!(counts.leaves, leaves.len() as u64, "{:?}", algorithm);
            prop_assert_eq!(counts.researches, 0);
        }
    }

    /// An informed MTD(f) needs two tests: one to bound the value from each side.
    #[test]
    fn mtd_f_with_the_right_guess_passes_twice(tree in small_tree()) {
        let mut tree = Perfect::new(tree);
        let value = super::true_value(&mut tree);
        let done = run(MtdF, &mut tree, value);
        prop_assert_eq!(done.counts.researches, 1);
        let straight = run(AlphaBeta, &mut tree, 0);
        prop_assert!(done.counts.leaves <= straight.counts.leaves);
    }
}

/// The distinct leaves become fewer, the visits more: the price of searching again.
#[test]
fn in_random_order_nega_scout_visits_more_and_sees_fewer_leaves_than_alpha_beta() {
    let mut sums = [0; 3];
    for number in 0..20 {
        let mut tree = Uniform::new(6, 4, Leaves::Independent { range: 1000 }, number);
        let alpha_beta = run(AlphaBeta, &mut tree, 0).counts;
        let nega_scout = run(NegaScout, &mut tree, 0).counts;
        sums[0] += nega_scout.distinct_leaves;
        sums[1] += alpha_beta.leaves;
        sums[2] += nega_scout.leaves;
    }
    assert!(sums[0] < sums[1] && sums[1] < sums[2], "{sums:?}");
}

/// The better the order, the less there is to search again.
#[test]
fn order_decides_what_scouting_costs() {
    let visits = |order, algorithm: Algorithm| {
        let leaves = Leaves::Summed { range: 100, order };
        let trees = (0..10).map(|number| Uniform::new(6, 5, leaves, number));
        trees.map(|mut tree| run(algorithm, &mut tree, 0).counts.leaves).sum::<u64>()
    };
    for algorithm in [AlphaBeta, Scout, NegaScout] {
        let [good, random, worst] =
            [Order::Good, Order::Random, Order::Worst].map(|order| visits(order, algorithm));
        assert!(good < random && random < worst, "{algorithm:?}: {good}, {random}, {worst}");
    }
}

#[test]
fn whoever_runs_out_of_budget_says_so_and_comes_back_to_the_root() {
    let leaves = Leaves::Independent { range: 1000 };
    for algorithm in Algorithm::ALL {
        for visits in [0, 1, 10, 100] {
            let mut tree = Uniform::new(5, 5, leaves, 3);
            let budget = Budget { visits, ..Budget::default() };
            let settings = Settings { budget, ..settings(0) };
            let stopped = algorithm.run(&mut tree, &settings, &mut |_| {});
            assert_eq!(stopped.value, None, "{algorithm:?}");
            assert!(stopped.counts.leaves + stopped.counts.interior <= visits + 1);
            let whole = algorithm.run(&mut tree, &super::settings(0), &mut |_| {});
            assert_eq!(whole.value, run(Minimax, &mut tree, 0).value.into(), "{algorithm:?}");
        }
    }
}

#[test]
fn whoever_keeps_too_much_gives_up() {
    let leaves = Leaves::Independent { range: 1000 };
    for algorithm in [Sss, Dual, MtSss, MtDual, MtdF, NegaScout] {
        let mut tree = Uniform::new(60, 6, leaves, 3);
        let budget = Budget { megabytes: 0, ..Budget::default() };
        let stopped = algorithm.run(&mut tree, &Settings { budget, ..settings(0) }, &mut |_| {});
        assert_eq!(stopped.value, None, "{algorithm:?}");
        assert!(stopped.counts.distinct_leaves <= 1 << 16, "{algorithm:?}");
    }
}

/// Without a memory of nodes the drivers would begin each pass anew; with a table too small for
/// the tree they do so in part, and still find the value.
#[test]
fn a_table_that_forgets_costs_visits_not_correctness() {
    let leaves = Leaves::Summed { range: 100, order: Order::Random };
    let mut tree = Uniform::new(4, 9, leaves, 1);
    let value = run(AlphaBeta, &mut tree, 0).value;
    for algorithm in [MtSss, MtDual, MtdF] {
        let remembered = run(algorithm, &mut tree, 0);
        let forgetful = super::search(&mut tree, Memory::table(0), |walk| {
            algorithm.search(walk, &settings(0), true)
        });
        assert_eq!((remembered.value, forgetful.value), (value, value), "{algorithm:?}");
        assert_eq!(remembered.counts.leaves, remembered.counts.distinct_leaves);
        assert!(forgetful.counts.leaves > forgetful.counts.distinct_leaves);
    }
    let found = run(AspirationNegaScout, &mut tree, 0).value;
    assert_eq!(found, value);
}
