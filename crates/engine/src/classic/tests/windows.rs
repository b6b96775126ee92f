//! What a window says about a value, and what it costs.

use super::super::tree::child_id;
use super::super::{INFINITE, alpha_beta, memory, scout};
use super::{Done, Leaves, Memory, Order, Perfect, Tree, Uniform, Walk, small_tree, true_value};
use proptest::prelude::*;
use std::collections::HashSet;

type Search<T> = fn(&mut Walk<'_, T>, i32, i32) -> i32;

/// Every search that takes a window and answers with a bound.
fn soft<T: Tree>() -> [(&'static str, bool, Search<T>); 6] {
    [
        ("alpha-beta", false, alpha_beta::fail_soft),
        ("NegaScout", false, scout::nega_scout),
        ("PVS", false, scout::pvs),
        ("PVS after the first PV", false, scout::pvs_found),
        ("alpha-beta with memory", true, memory::alpha_beta),
        ("NegaScout with memory", true, memory::nega_scout),
    ]
}

fn in_window<T: Tree>(tree: &mut T, search: Search<T>, alpha: i32, beta: i32) -> Done {
    super::search(tree, Memory::Nothing, |walk| search(walk, alpha, beta))
}

/// A window near the value, where its three cases are.
fn window() -> impl Strategy<Value = (i32, i32)> {
    (-1500i32..1500, prop_oneof![Just(1), 1i32..8, 1i32..1500])
        .prop_map(|(alpha, width)| (alpha, alpha + width))
}

fn near(value: i32) -> impl Iterator<Item = (i32, i32)> {
    (-4..=3).flat_map(move |low| (1..=4).map(move |width| (value + low, value + low + width)))
}

fn assert_window_theorem(tree: &mut Uniform, alpha: i32, beta: i32) {
    let value = true_value(tree);
    for (name, remembers, search) in soft() {
        let memory = if remembers { Memory::of_nodes() } else { Memory::Nothing };
        let found = super::search(tree, memory, |walk| search(walk, alpha, beta)).value;
        let holds = if found <= alpha {
            value <= found
        } else if found >= beta {
            value >= found
        } else {
            value == found
        };
        assert!(holds, "{name}: {found} in ({alpha}, {beta}), the value is {value}");
    }
    let hard = in_window(tree, alpha_beta::fail_hard, alpha, beta).value;
    assert_eq!(hard, value.clamp(alpha, beta), "fail-hard in ({alpha}, {beta})");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn inside_exact_below_an_upper_bound_above_a_lower(
        mut tree in small_tree(),
        (alpha, beta) in window(),
    ) {
        assert_window_theorem(&mut tree, alpha, beta);
        let value = true_value(&mut tree);
        for (alpha, beta) in near(value) {
            assert_window_theorem(&mut tree, alpha, beta);
        }
    }

    #[test]
    fn a_smaller_window_inside_a_larger_one_visits_no_more(
        mut tree in small_tree(),
        (alpha, beta) in window(),
        (low, high) in (0i32..40, 0i32..40),
    ) {
        let value = true_value(&mut tree);
        for (alpha, beta) in near(value).chain([(alpha, beta)]) {
            for search in [alpha_beta::fail_hard, alpha_beta::fail_soft] {
                let small = in_window(&mut tree, search, alpha, beta);
                let large = in_window(&mut tree, search, alpha - low, beta + high);
                prop_assert!(small.leaves.is_subset(&large.leaves));
                prop_assert!(small.counts.interior <= large.counts.interior);
            }
        }
    }

    /// Fail-soft differs from fail-hard in what it says, never in where it goes.
    #[test]
    fn fail_soft_goes_where_fail_hard_goes(
        mut tree in small_tree(),
        (alpha, beta) in window(),
    ) {
        let [hard, soft] = [alpha_beta::fail_hard, alpha_beta::fail_soft]
            .map(|search| in_window(&mut tree, search, alpha, beta));
        prop_assert_eq!(hard.leaves, soft.leaves);
        prop_assert_eq!(hard.value, soft.value.clamp(alpha, beta));
    }

    #[test]
    fn a_test_answers_on_which_side_of_a_bound_the_value_lies(mut tree in small_tree()) {
        let value = true_value(&mut tree);
        for bound in value - 3..value + 3 {
            let mut ignore = |_: &_| {};
            let mut walk = Walk::new(&mut tree, Memory::Nothing, &mut ignore);
            prop_assert_eq!(scout::exceeds(&mut walk, bound), value > bound);
        }
    }

    /// When the best comes first, the nodes are of three types (Knuth, Moore 1975): alpha-beta
    /// visits every child of a PV node and of an all node, and one child of a cut node.
    #[test]
    fn on_a_perfectly_ordered_tree_the_types_of_the_nodes_say_what_is_visited(
        tree in small_tree(),
    ) {
        let mut tree = Perfect::new(tree);
        let found = in_window(&mut tree, alpha_beta::fail_soft, -INFINITE, INFINITE);
        let mut critical = HashSet::new();
        critical_leaves(&mut tree, 0, NodeType::Pv, &mut critical);
        prop_assert_eq!(found.leaves, critical);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeType {
    Pv,
    Cut,
    All,
}

/// Names the leaves below a node of this type that have to be evaluated.
fn critical_leaves(tree: &mut impl Tree, id: u64, kind: NodeType, found: &mut HashSet<u64>) {
    let width = tree.width();
    if width == 0 {
        found.insert(id);
        return;
    }
    let visited = if kind == NodeType::Cut { 1 } else { width };
    for child in 0..visited {
        let kind = match (kind, child) {
            (NodeType::Pv, 0) => NodeType::Pv,
            (NodeType::Pv | NodeType::All, _) => NodeType::Cut,
            (NodeType::Cut, _) => NodeType::All,
        };
        tree.descend(child);
        critical_leaves(tree, child_id(id, child), kind, found);
        tree.ascend();
    }
}

/// A cut node ends with the child that refutes; any other has visited all its children.
#[test]
fn only_a_cut_leaves_children_out() {
    for number in 0..50 {
        let mut tree = Uniform::new(5, 1, Leaves::Independent { range: 50 }, number);
        tree.width();
        let replies: Vec<i32> = (0..5)
            .map(|child| {
                tree.descend(child);
                let reply = -tree.value();
                tree.ascend();
                reply
            })
            .collect();
        for beta in -52..3 {
            let done = in_window(&mut tree, alpha_beta::fail_soft, beta - 1, beta);
            let refuting = replies.iter().position(|reply| *reply >= beta);
            let visited = refuting.map_or(5, |child| child as u64 + 1);
            assert_eq!(done.counts.leaves, visited, "tree {number}, beta {beta}");
            assert_eq!(done.value >= beta, refuting.is_some(), "tree {number}, beta {beta}");
        }
    }
}

/// The square root: w^⌈d/2⌉ + w^⌊d/2⌋ − 1 leaves of w^d, reached exactly.
#[test]
fn on_a_perfectly_ordered_tree_alpha_beta_evaluates_the_minimal_tree() {
    let kinds =
        [Leaves::Independent { range: 1000 }, Leaves::Summed { range: 10, order: Order::Worst }];
    for leaves in kinds {
        for (branching, depth) in [(1, 5), (2, 9), (3, 6), (5, 5), (8, 4), (20, 3), (7, 1), (4, 0)]
        {
            let minimal = Uniform::minimal_leaves(branching, depth);
            let mut tree = Perfect::new(Uniform::new(branching, depth, leaves, 7));
            let searches: [Search<_>; 5] = [
                alpha_beta::fail_hard,
                alpha_beta::fail_soft,
                scout::nega_scout,
                scout::pvs,
                scout::pvs_found,
            ];
            for search in searches {
                let found = in_window(&mut tree, search, -INFINITE, INFINITE).leaves.len();
                assert_eq!(found as u64, minimal, "{branching}, {depth}");
            }
        }
    }
}
