//! The total gain of a campaign: the champion against the baseline that never changes, in a match of
//! its own with all its pairs. What was crowned was chosen for its result, so the sum of the steps
//! would show too much; these games chose nothing.

use super::Campaign;
use super::journal::{Gain, Journal, Regression};
use model::file::CampaignFile;
use model::view::ProgressView;

/// When a match is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// If this champion has none yet.
    IfNew,
    /// Once more in any case; one that is under way is waited for.
    Always,
}

/// The last match of the present champion.
pub(super) fn latest<'a>(file: &CampaignFile, journal: &'a Journal) -> Option<&'a Regression> {
    let is_moved = journal.champion != file.baseline;
    journal.regressions.iter().rev().find(|r| is_moved && r.champion == journal.champion)
}

/// The total gain in words.
pub(super) fn total(file: &CampaignFile, journal: &Journal) -> String {
    if journal.champion == file.baseline {
        return "total gain: none, the champion is the baseline".to_owned();
    }
    match latest(file, journal) {
        Some(Regression { gain: Some(gain), run: Some(run), .. }) => format!(
            "total gain: {:+.1} Elo ({:+.1} … {:+.1}, 95 %) above the baseline, by {} pairs of run {run}",
            gain.elo, gain.elo_low, gain.elo_high, gain.pairs
        ),
        Some(_) => "total gain: being measured".to_owned(),
        None => "total gain: not measured yet; `elomill campaign regress` does it".to_owned(),
    }
}

impl Campaign<'_> {
    /// Plays the match to its end, from where the journal has it. Whether it came to an end.
    pub(super) async fn measure(&mut self, when: When) -> anyhow::Result<bool> {
        if self.journal.champion == self.file.baseline {
            return Ok(true);
        }
        let open = latest(&self.file, &self.journal).map(|regression| regression.gain.is_none());
        match (open, when) {
            (Some(false), When::IfNew) => return Ok(true),
            (Some(true), _) => {}
            (None, _) | (Some(false), When::Always) => {
                let champion = self.journal.champion.clone();
                self.journal.regressions.push(Regression { champion, run: None, gain: None });
                self.journal.save()?;
            }
        }
        // The champion changes at the end of a step alone, so the open one is the last one.
        let number = self.journal.regressions.len() - 1;
        let file = self.file.regression(number, &self.journal.champion);
        let known = self.journal.regressions[number].run;
        let run = self.filed(&format!("regression-{number}"), known, &file, None).await?;
        self.journal.regressions[number].run = Some(run);
        self.journal.save()?;
        let Some(over) = self.to_the_end(run).await? else { return Ok(false) };
        let ProgressView::Test(view) = &over.progress else {
            return Err(anyhow::anyhow!("run {run} is not the match that was filed"));
        };
        self.journal.regressions[number].gain = Some(Gain {
            pairs: over.counted_pairs,
            elo: view.elo,
            elo_low: view.elo_low,
            elo_high: view.elo_high,
        });
        self.journal.save()?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ParameterSet, RunId};
    use std::path::Path;

    const CAMPAIGN: &str = "name = \"c\"\ngame = \"tictactoe\"\n[limit]\nnodes = 9\n[tune]\n\
        pairs = 4\n[sprt]\nelo1 = 5\n[test]\nmax_pairs = 4\n[[group]]\nname = \"g\"\n\
        parameters = [\"lmr_base\"]\n";

    fn file(more: &str) -> CampaignFile {
        CampaignFile::parse(&format!("{CAMPAIGN}{more}")).unwrap()
    }

    #[test]
    fn the_total_is_of_the_present_champion_alone() {
        let file = file("");
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("c.toml"), "", &file.champion).unwrap();
        assert!(total(&file, &journal).contains("is the baseline"));
        journal.champion = ParameterSet::from_iter([("lmr_base".to_owned(), 0.25)]);
        assert!(total(&file, &journal).contains("not measured yet"));
        let gain = Gain { pairs: 1000, elo: 12.34, elo_low: 5.06, elo_high: 19.6 };
        let champion = journal.champion.clone();
        let run = Some(RunId(9));
        journal.regressions.push(Regression { champion, run, gain: Some(gain) });
        assert_eq!(
            total(&file, &journal),
            "total gain: +12.3 Elo (+5.1 … +19.6, 95 %) above the baseline, by 1000 pairs of run 9"
        );
        journal.champion.set("lmr_base", 0.5);
        assert!(total(&file, &journal).contains("not measured yet"));
    }

    #[test]
    fn the_gain_is_that_of_a_match_of_fixed_length() {
        let file = file("[regression]\npairs = 20\n");
        let champion = ParameterSet::from_iter([("lmr_base".to_owned(), 0.25)]);
        let regression = file.regression(0, &champion);
        let (spec, _) =
            crate::filing::resolve(Path::new("c.toml"), &regression, Vec::new()).unwrap();
        assert_eq!((spec.job.kind(), spec.job.pairs_asked().0), ("match", 20));
    }
}
