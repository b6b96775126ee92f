//! The author's file of a campaign: groups of parameters that are tuned in turn, each result tested
//! against the champion.
//!
//! A step of a campaign is a run file like any other, made from the campaign and the champion.

use super::lines::Lines;
use super::players::{PlayersFile, players};
use super::reader::{Reader, Section};
use super::{
    BookChoice, CandidateFile, JobFile, ParameterFile, RunFile, Surroundings, TestFile, TuneFile,
    book, game_names, hypotheses, test_limits, tune_settings,
};
use crate::spec::{BookOrder, Canaries, GameLimit, Keep, SprtSpec};
use crate::{Finding, FindingList, GameKind, Pairs, ParameterSet};

/// A campaign as written.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignFile {
    /// For people.
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// Source of all randomness; each step has a seed of its own made from it.
    pub seed: u64,
    /// How often all groups are gone through.
    pub rounds: u32,
    /// Share of the cluster.
    pub weight: f64,
    /// Pairs of one lease.
    pub lease_pairs: u32,
    /// How long a lease shall take, in seconds.
    pub lease_seconds: u32,
    /// Where the openings come from.
    pub book: BookChoice,
    /// How they are taken from there.
    pub book_order: BookOrder,
    /// Limits of the games.
    pub limit: GameLimit,
    /// Who plays.
    pub players: PlayersFile,
    /// The values that the first candidate has to beat, where they differ from the engine's.
    pub champion: ParameterSet,
    /// What the total gain is measured against, at all times; the first champion if the file names
    /// none.
    pub baseline: ParameterSet,
    /// Pairs of the match that measures it.
    pub regression_pairs: Pairs,
    /// What is tuned together.
    pub groups: Vec<Group>,
    tune: TuneFile,
    sprt: SprtSpec,
    max_pairs: Pairs,
    futility: f64,
    lines: Lines,
}

/// Parameters that are tuned together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// For people.
    pub name: String,
    /// Names in the engine.
    pub parameters: Vec<String>,
    /// What the engine's `c_end` of each of them is multiplied with: more than 1 looks further away
    /// for the price of wider probes.
    pub c_end_factor: f64,
}

impl CampaignFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything that is wrong in it.
    pub fn parse(text: &str) -> Result<Self, FindingList> {
        Self::read(Reader::new(text))
    }

    pub(super) fn read(mut reader: Reader<'_>) -> Result<Self, FindingList> {
        let Some(document) = reader.document() else { return Err(reader.into_findings()) };
        let mut root = reader.root(&document);
        let name = root.required_text(&mut reader, "name", "name = \"pruning, one by one\"");
        let game = root.choice(&mut reader, "game", None, &game_names());
        let seed = root.whole(&mut reader, "seed", Some(1), 0..=u64::MAX);
        let rounds = root.whole(&mut reader, "rounds", Some(1), 1..=1000);
        let weight = root.number(&mut reader, "weight", Some(1.0));
        let lease_pairs = root.whole(&mut reader, "lease_pairs", Some(8), 1..=1000);
        let lease_seconds = super::lease_seconds(&mut reader, &mut root);
        let (book, book_order) = book(&mut reader, &mut root);
        let (limit, players) = players(&mut reader, &mut root);
        if !root.has("tune") {
            let mend = "[tune]\n  pairs = 20000";
            reader.missing(&root, "tune", "a [tune] table", mend);
            root.allow(&["tune"]);
        }
        let tune = tune_settings(&mut reader, &mut root);
        let sprt = hypotheses(&mut reader, &mut root);
        let (max_pairs, futility) = test_limits(&mut reader, &mut root);
        let champion = root.values(&mut reader, "champion").unwrap_or_default();
        let baseline = root.values(&mut reader, "baseline").unwrap_or_else(|| champion.clone());
        let regression_pairs = regression_pairs(&mut reader, &mut root);
        let groups: Vec<Group> = root
            .sections(&mut reader, "group")
            .into_iter()
            .map(|section| group(&mut reader, section))
            .collect();
        if groups.is_empty() {
            let mend = "[[group]]\n  name = \"lmr\"\n  parameters = [\"lmr_base\"]";
            reader.missing(&root, "group", "at least one [[group]] table", mend);
        }
        root.finish(&mut reader);
        let (Some(game), true) = (game, reader.is_clean()) else {
            return Err(reader.into_findings());
        };
        Ok(Self {
            name,
            game,
            seed,
            rounds: u32::try_from(rounds).unwrap_or(u32::MAX),
            weight,
            lease_pairs: u32::try_from(lease_pairs).unwrap_or(u32::MAX),
            lease_seconds,
            book,
            book_order,
            limit,
            players,
            champion,
            baseline,
            regression_pairs,
            groups,
            tune,
            sprt,
            max_pairs,
            futility,
            lines: reader.into_lines(),
        })
    }

    /// The published engines that play, by name.
    #[must_use]
    pub fn engine_names(&self) -> Vec<&str> {
        self.players.names()
    }

    /// Steps in all: every group in every round.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.groups.len() * self.rounds as usize
    }

    /// The group of a step, counted from 0, and the round that it belongs to, from 1.
    ///
    /// # Panics
    /// If there is no such step.
    #[must_use]
    pub fn step(&self, step: usize) -> (&Group, usize) {
        assert!(step < self.steps(), "a step of the campaign");
        (&self.groups[step % self.groups.len()], 1 + step / self.groups.len())
    }

    /// The tune of a step, from this champion.
    ///
    /// # Panics
    /// If there is no such step.
    #[must_use]
    pub fn tune(&self, step: usize, champion: &ParameterSet) -> RunFile {
        let (group, _) = self.step(step);
        let parameter = |name: &String| ParameterFile {
            name: name.clone(),
            start: champion.get(name),
            c_end_factor: Some(group.c_end_factor),
            ..ParameterFile::default()
        };
        let mut fixed = champion.clone();
        fixed.0.retain(|name, _| !group.parameters.contains(name));
        let tune = TuneFile {
            parameters: group.parameters.iter().map(parameter).collect(),
            fixed,
            ..self.tune.clone()
        };
        self.run(step, "tune", JobFile::Tune(tune))
    }

    /// The test of a candidate of a step against this champion.
    ///
    /// # Panics
    /// If there is no such step.
    #[must_use]
    pub fn test(&self, step: usize, candidate: ParameterSet, champion: &ParameterSet) -> RunFile {
        let test = TestFile {
            candidate: CandidateFile::Values(candidate),
            base: Some(champion.clone()),
            sprt: Some(self.sprt),
            max_pairs: self.max_pairs,
            futility: self.futility,
        };
        self.run(step, "test", JobFile::Test(test))
    }

    /// The match of a champion against the baseline, the `number`-th of them from 0: all its pairs are
    /// played, so that its Elo has no bias of stopping.
    #[must_use]
    pub fn regression(&self, number: usize, champion: &ParameterSet) -> RunFile {
        let test = TestFile {
            candidate: CandidateFile::Values(champion.clone()),
            base: Some(self.baseline.clone()),
            sprt: None,
            max_pairs: self.regression_pairs,
            futility: 0.0,
        };
        let name = format!("{}: champion against baseline", self.name);
        // Openings and seeds that no step has.
        self.named(name, (2 * self.steps() + number) as u64, JobFile::Test(test))
    }

    fn run(&self, step: usize, what: &str, job: JobFile) -> RunFile {
        let (group, round) = self.step(step);
        // The numbers of a step lie apart, those of the tune and of the test beside each other.
        let number = 2 * step as u64 + u64::from(what == "test");
        self.named(format!("{}: {} of {}, round {round}", self.name, what, group.name), number, job)
    }

    fn named(&self, name: String, number: u64, job: JobFile) -> RunFile {
        RunFile {
            name,
            game: self.game,
            seed: self.seed.wrapping_add(number),
            weight: self.weight,
            lease_pairs: self.lease_pairs,
            lease_seconds: self.lease_seconds,
            keep: Keep::default(),
            canaries: Canaries::default(),
            book: self.book.clone(),
            book_order: self.book_order,
            limit: self.limit,
            players: self.players.clone(),
            job,
            lines: Lines::default(),
        }
    }

    /// Checks every group against the engine, before anything is filed.
    ///
    /// # Errors
    /// Everything that is wrong, with lines.
    pub fn check(&self, around: &Surroundings<'_>) -> Result<(), FindingList> {
        let mut findings = Vec::new();
        for place in 0..self.groups.len() {
            if let Err(FindingList(wrong)) = self.tune(place, &self.champion).resolve(around) {
                let at = |finding: Finding| match finding.place.strip_prefix("fixed.") {
                    Some(name) => Finding { place: format!("champion.{name}"), ..finding },
                    None if finding.place.starts_with("parameter") => {
                        Finding { place: format!("group[{place}].{}", finding.place), ..finding }
                    }
                    None => finding,
                };
                findings.extend(wrong.into_iter().map(at));
            }
        }
        if let Err(FindingList(wrong)) = self.regression(0, &self.champion).resolve(around) {
            // That the champion is the baseline still is no mistake.
            let of_baseline = |finding: Finding| {
                let name = finding.place.strip_prefix("base.")?;
                Some(Finding { place: format!("baseline.{name}"), ..finding })
            };
            let has_own = self.baseline != self.champion;
            findings.extend(wrong.into_iter().filter_map(of_baseline).filter(|_| has_own));
        }
        // The settings are the same for all groups.
        let mut once: Vec<Finding> = Vec::new();
        for finding in findings {
            if !once.contains(&finding) {
                once.push(finding);
            }
        }
        if once.is_empty() {
            return Ok(());
        }
        self.lines.mark(&mut once);
        Err(FindingList(once))
    }
}

fn regression_pairs(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Pairs {
    let section = root.section(reader, "regression");
    let mut section = section.unwrap_or_else(|| Section::absent("regression"));
    let pairs = section.whole(reader, "pairs", Some(1000), 1..=1_000_000);
    section.finish(reader);
    Pairs(pairs)
}

fn group(reader: &mut Reader<'_>, mut section: Section<'_>) -> Group {
    let name = section.required_text(reader, "name", "name = \"lmr\"");
    let parameters = section.texts(reader, "parameters", "[\"lmr_base\", \"lmr_divisor\"]");
    let c_end_factor = section.number(reader, "c_end_factor", Some(1.0));
    if !(0.01..=100.0).contains(&c_end_factor) {
        let mend = "write `c_end_factor = 2` for probes twice as wide as the engine advises";
        reader.wrong(&section, "c_end_factor", c_end_factor.to_string(), "0.01 to 100", mend);
    }
    section.finish(reader);
    Group { name, parameters, c_end_factor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Job, OptimizerKind};
    use crate::{ParameterDef, ParameterKind};

    const CAMPAIGN: &str = r#"name = "pruning"
game = "tictactoe"
seed = 10
rounds = 2
[limit]
nodes = 50
[tune]
pairs = 40
optimizer = "bqr"
[sprt]
elo1 = 10
[test]
max_pairs = 30
[champion]
c = 3
[[group]]
name = "first"
parameters = ["a", "b"]
[[group]]
name = "second"
parameters = ["b", "c"]
c_end_factor = 2.5
"#;

    fn known() -> Vec<ParameterDef> {
        ["a", "b", "c"]
            .map(|name| ParameterDef {
                name: name.to_owned(),
                kind: ParameterKind::Float,
                start: 1.0,
                min: 0.0,
                max: 10.0,
                c_end: 1.0,
                r_end: 0.002,
            })
            .to_vec()
    }

    fn check(text: &str) -> Result<CampaignFile, FindingList> {
        let known = known();
        let around = Surroundings {
            known: &known,
            book_sha256: "0a".repeat(32),
            tuned: Vec::new(),
            engines: Vec::new(),
            speed: None,
        };
        let file = CampaignFile::parse(text)?;
        file.check(&around)?;
        Ok(file)
    }

    #[test]
    fn steps_are_runs_that_start_at_the_champion() {
        let file = check(CAMPAIGN).unwrap();
        assert_eq!(file.steps(), 4);
        assert_eq!((file.step(3).0.name.as_str(), file.step(3).1), ("second", 2));
        let known = known();
        let around = Surroundings {
            known: &known,
            book_sha256: "0a".repeat(32),
            tuned: Vec::new(),
            engines: Vec::new(),
            speed: None,
        };
        let champion = ParameterSet::from_iter([("a".to_owned(), 4.0), ("c".to_owned(), 3.0)]);
        let spec = file.tune(2, &champion).resolve(&around).unwrap();
        assert_eq!((spec.seed, spec.name.as_str()), (14, "pruning: tune of first, round 2"));
        let Job::Tune(tune) = spec.job else { panic!("a tune") };
        assert_eq!(tune.optimizer.kind(), OptimizerKind::Bqr);
        let starts: Vec<_> = tune.parameters.iter().map(|p| (p.name.as_str(), p.start)).collect();
        assert_eq!(starts, [("a", 4.0), ("b", 1.0)]);
        assert_eq!(tune.fixed, ParameterSet::from_iter([("c".to_owned(), 3.0)]));
        assert!(tune.parameters.iter().all(|p| p.c_end == 1.0));
        let Job::Tune(wide) = file.tune(3, &champion).resolve(&around).unwrap().job else {
            panic!("a tune")
        };
        assert!(wide.parameters.iter().all(|p| p.c_end == 2.5));

        let mut candidate = champion.clone();
        candidate.set("a", 5.0);
        let spec = file.test(2, candidate.clone(), &champion).resolve(&around).unwrap();
        let Job::Test(test) = spec.job else { panic!("a test") };
        assert_eq!((spec.seed, test.candidate, test.base), (15, candidate, champion));
        assert_eq!((test.max_pairs, test.sprt.map(|sprt| sprt.elo1)), (Pairs(30), Some(10.0)));
    }

    #[test]
    fn the_gain_is_measured_against_a_baseline_that_stays() {
        let known = known();
        let around = Surroundings {
            known: &known,
            book_sha256: "0a".repeat(32),
            tuned: Vec::new(),
            engines: Vec::new(),
            speed: None,
        };
        let champion = ParameterSet::from_iter([("a".to_owned(), 4.0)]);
        let file = check(CAMPAIGN).unwrap();
        let spec = file.regression(1, &champion).resolve(&around).unwrap();
        assert_eq!(spec.seed, 10 + 8 + 1, "behind those of four steps");
        let Job::Test(test) = spec.job else { panic!("a test") };
        assert_eq!((test.candidate, test.base), (champion, file.champion.clone()));
        assert_eq!((test.max_pairs, test.sprt), (Pairs(1000), None));
        let text =
            CAMPAIGN.replace("[champion]", "[regression]\npairs = 50\n[baseline]\n[champion]");
        let file = check(&text).unwrap();
        assert_eq!((file.baseline, file.regression_pairs), (ParameterSet::default(), Pairs(50)));
        let FindingList(found) =
            check(&text.replace("[champion]", "a = 11\n[champion]")).unwrap_err();
        assert_eq!((found.len(), found[0].place.as_str()), (1, "baseline.a"), "{found:#?}");
    }

    #[test]
    fn mistakes_of_every_group_are_found_before_anything_is_filed() {
        for (from, to, place, line) in [
            ("[\"a\", \"b\"]", "[\"a\", \"x\"]", "group[0].parameter[1].name", Some(16)),
            ("[\"b\", \"c\"]", "\"b\"", "group[1].parameters", Some(21)),
            ("[\"b\", \"c\"]", "[\"b\", 3]", "group[1].parameters", Some(21)),
            ("[\"b\", \"c\"]", "[]", "group[1].parameters", Some(21)),
            ("c = 3", "c = 30", "champion.c", Some(15)),
            ("rounds = 2", "rounds = 0", "rounds", Some(4)),
            ("factor = 2.5", "factor = 0", "group[1].c_end_factor", Some(22)),
            ("[tune]", "[tunes]", "tune", None),
        ] {
            let FindingList(found) = check(&CAMPAIGN.replacen(from, to, 1)).unwrap_err();
            let hit = found.iter().find(|finding| finding.place == place);
            let hit = hit.unwrap_or_else(|| panic!("{from} to {to}: no `{place}` in {found:#?}"));
            assert_eq!(hit.line, line, "{from} to {to}: {hit}");
        }
    }
}
