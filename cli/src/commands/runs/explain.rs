//! `elomill runs explain`: the terms by which a run gets work, in words.

use crate::tables::number;
use model::printable;
use model::view::ShareView;

/// Every term on a line of its own.
pub(super) fn text(share: &ShareView) -> String {
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let owner = match share.owner.as_str() {
        "" => "authors from before they were written down".to_owned(),
        owner => printable(owner, 80),
    };
    let used = match share.all_nodes {
        all if all > 0.0 => format!(
            "{} of what the open runs have used since the coordinator began ({:.3e} nodes)",
            percent(share.used_nodes / all),
            share.used_nodes
        ),
        _ => "nothing yet since the coordinator began".to_owned(),
    };
    let behind = |nodes: f64| match nodes {
        nodes if nodes > 0.0 => format!("{nodes:.3e} nodes behind"),
        nodes => format!("{:.3e} nodes ahead", -nodes),
    };
    let mut lines = vec![
        format!("run          {} is {}", share.run, share.state.name()),
        format!("author       {owner}: one of {} that share evenly now", share.authors),
        format!(
            "weight       {} of {} of this author's runs that could use work",
            number(share.weight),
            number(share.author_weight)
        ),
        format!(
            "due          {} of all work: 1/{} for the author, {} of that for the run",
            percent(share.due_share),
            share.authors,
            percent(share.weight / share.author_weight)
        ),
        format!("used         {used}"),
        format!(
            "turn         its author is {}, the run {} those of its author; whoever is farthest behind \
             comes next",
            behind(share.author_behind_nodes),
            behind(share.run_behind_nodes)
        ),
        format!("pairs        {} to give, {} out", share.open_pairs, share.leased_pairs),
        format!("workers      {} of {} could play it", share.able_workers, share.workers),
    ];
    for (why, workers) in &share.hindrances {
        lines.push(format!("             {workers} could not: {}", printable(why, 200)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::RunId;
    use model::view::RunState;

    #[test]
    fn every_term_is_told() {
        let share = ShareView {
            run: RunId(7),
            state: RunState::Running,
            owner: "anna\u{1b}".to_owned(),
            weight: 2.0,
            authors: 2,
            author_weight: 8.0,
            due_share: 0.125,
            used_nodes: 1e9,
            all_nodes: 4e9,
            author_behind_nodes: 1.5e6,
            run_behind_nodes: -2.5e5,
            open_pairs: 40,
            leased_pairs: 16,
            workers: 9,
            able_workers: 6,
            hindrances: vec![("what this worker plays is excluded".to_owned(), 3)],
        };
        let text = text(&share);
        for part in [
            "one of 2 that share evenly",
            "2 of 8 of this author",
            "12.5 % of all work: 1/2 for the author, 25.0 %",
            "25.0 % of what the open runs",
            "1.500e6 nodes behind, the run 2.500e5 nodes ahead",
            "6 of 9 could play",
            "3 could not: what this worker",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
