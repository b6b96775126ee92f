//! `elomill train`: trains a network on games of the engine against itself. What it does is kept beside the
//! network, so that the same command goes on after Ctrl-C or a kill.

mod file;

use super::data::{Folder, replace};
use crate::books::hex;
use crate::local_match::stop_flag;
use crate::output::{hinted, json, line, say};
use anyhow::Context;
use file::Plan;
use games::xiangqi::Xiangqi;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::GameKind;
use net::Network;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use train::{Epoch, Progress, Rounding, Samples, SamplesBuilder, Trainer, quantise};

/// How often what was learnt is written down, beside the end of each epoch.
const WRITE_EVERY: Duration = Duration::from_secs(60);

/// Held-out positions that integers are compared on.
const COMPARED: usize = 5_000;

/// Exit status when it was ended before its end.
const UNFINISHED: u8 = 4;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to train from, how, and where to, in TOML; options take precedence
    file: Option<PathBuf>,
    /// A folder of games; several may be named
    #[arg(long, value_name = "DIR", required_unless_present = "file")]
    data: Vec<PathBuf>,
    /// The file of the network
    #[arg(long, value_name = "NET", required_unless_present = "file")]
    out: Option<PathBuf>,
    /// Times through all positions [default: 20]
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// Neurons of a side [default: 128]
    #[arg(long, value_name = "N")]
    hidden: Option<u16>,
    /// Of the first weights and the order of positions [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Threads; the network does not depend on them [default: one for each processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print a JSON object for each epoch, and one for the network
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The games or the file cannot be read, a setting is out of range, or nothing can be written.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.plan()?;
        let stop = stop_flag()?;
        let (learnt, held, origin) = self.read(&plan)?;
        let mut trainer = start(&plan, &learnt, origin)?;
        if !self.train(&plan, &mut trainer, &learnt, &held, &stop)? {
            say(format_args!(
                "ended; the same command goes on, from {}",
                plan.checkpoint().display()
            ));
            return Ok(ExitCode::from(UNFINISHED));
        }
        self.finish(&plan, &trainer, &held)?;
        Ok(ExitCode::SUCCESS)
    }

    fn plan(&self) -> anyhow::Result<Plan> {
        let mut plan = match &self.file {
            Some(path) => Plan::read(path)?,
            None => Plan::default(),
        };
        if !self.data.is_empty() {
            plan.data.clone_from(&self.data);
        }
        if let Some(out) = &self.out {
            plan.out.clone_from(out);
        }
        let settings = &mut plan.settings;
        settings.epochs = self.epochs.unwrap_or(settings.epochs);
        settings.hidden = self.hidden.unwrap_or(settings.hidden);
        settings.seed = self.seed.unwrap_or(settings.seed);
        Ok(plan)
    }

    /// The positions to learn from and those held out, with the SHA-256 of the names of all files.
    fn read(&self, plan: &Plan) -> anyhow::Result<(Samples, Samples, [u8; 32])> {
        let mut builder: Option<SamplesBuilder> = None;
        let mut names = Sha256::new();
        let mut is_full = false;
        for path in &plan.data {
            let folder = Folder::open(path)?;
            let game = folder.manifest.recipe.game;
            plan.settings.check(game).map_err(|error| {
                hinted(error, "networks of xiangqi are trained so far; elomill train --help")
            })?;
            let shape = plan.settings.architecture(game);
            let builder =
                builder.get_or_insert_with(|| SamplesBuilder::new(shape, plan.settings.held_out));
            for entry in &folder.manifest.shards {
                names.update(entry.sha256.as_bytes());
                for game in &folder.read(entry)?.games {
                    // Settings that were checked are of xiangqi.
                    is_full |= !builder
                        .add::<Xiangqi>(game)
                        .with_context(|| format!("{}", path.display()))?;
                }
            }
        }
        let (learnt, held, repeated) = builder.map(SamplesBuilder::finish).unwrap_or_default();
        if learnt.is_empty() || held.is_empty() {
            let what = format_args!(
                "{} positions to learn from and {} held out: both are needed",
                learnt.len(),
                held.len()
            );
            return Err(hinted(what, "elomill data generate makes more games"));
        }
        say(format_args!(
            "{} positions to learn from, {} held out, {repeated} left out as seen before{}",
            learnt.len(),
            held.len(),
            if is_full { "; the rest does not fit" } else { "" }
        ));
        Ok((learnt, held, names.finalize().into()))
    }

    /// Trains to the end, or until it is told to end; whether it came to the end.
    fn train(
        &self,
        plan: &Plan,
        trainer: &mut Trainer,
        learnt: &Samples,
        held: &Samples,
        stop: &AtomicBool,
    ) -> anyhow::Result<bool> {
        let threads = match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let (done, all) = trainer.progress(learnt.len());
        let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr_with_hz(4));
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} steps {eta}  {msg}") {
            bar.set_style(style);
        }
        bar.set_position(done);
        bar.reset_eta();
        for epoch in trainer.history().to_vec() {
            self.tell(&epoch, &bar)?;
        }
        let mut written = Instant::now();
        loop {
            // Relaxed: the flag carries no data.
            if stop.load(Ordering::Relaxed) {
                bar.finish_and_clear();
                replace(&plan.checkpoint(), &trainer.checkpoint())?;
                return Ok(false);
            }
            let mut is_due = written.elapsed() >= WRITE_EVERY;
            match trainer.step(learnt, held, threads) {
                Progress::Step => {}
                Progress::Epoch(epoch) => {
                    self.tell(&epoch, &bar)?;
                    bar.set_message(curve(trainer.history()));
                    is_due = true;
                }
                Progress::Done => break,
            }
            bar.inc(1);
            if is_due {
                replace(&plan.checkpoint(), &trainer.checkpoint())?;
                written = Instant::now();
            }
        }
        bar.finish_and_clear();
        Ok(true)
    }

    fn tell(&self, epoch: &Epoch, bar: &ProgressBar) -> anyhow::Result<()> {
        if self.json {
            return json(epoch);
        }
        let text = format!(
            "epoch {:>3}  loss {:.6}  held out {:.6}  rate {:.2e}",
            epoch.epoch, epoch.loss, epoch.held_out, epoch.rate
        );
        bar.suspend(|| line(text))?;
        Ok(())
    }

    /// Writes the best network, with what is known of it beside it.
    fn finish(&self, plan: &Plan, trainer: &Trainer, held: &Samples) -> anyhow::Result<()> {
        let weights = trainer.best();
        let network = quantise(&weights, trainer.scale(), trainer.origin())?;
        let rounding = Rounding::measure(&weights, &network, held, COMPARED).map_err(|index| {
            anyhow::anyhow!(
                "position {index} of those held out: the integers are further from the network than \
                 their roundings allow; please tell the authors"
            )
        })?;
        let bytes = network.to_bytes();
        let sha256 = Network::name_of(&bytes);
        replace(&plan.out, &bytes)?;
        let best = trainer.best_epoch();
        let told = serde_json::json!({
            "file": plan.out,
            "sha256": sha256,
            "bytes": bytes.len(),
            "data": plan.data,
            "origin": hex(&trainer.origin()),
            "scale": trainer.scale(),
            "settings": trainer.settings(),
            "best": best,
            "history": trainer.history(),
            "rounding": rounding,
        });
        replace(&beside(&plan.out, ".json"), format!("{told:#}\n").as_bytes())?;
        // The network is whole; a checkpoint that cannot be removed does no harm.
        let _ = std::fs::remove_file(plan.checkpoint());
        if self.json {
            return json(&told);
        }
        line(format_args!("network    {} ({} bytes)", plan.out.display(), bytes.len()))?;
        line(format_args!("sha256     {sha256}"))?;
        if let Some(best) = best {
            line(format_args!("best       epoch {}, held out {:.6}", best.epoch, best.held_out))?;
        }
        line(format_args!(
            "integers   {:.2} centipawns from the network on average, at most {:.1}, over {} positions; \
             never beyond the bound of their roundings",
            rounding.mean, rounding.largest, rounding.positions
        ))?;
        Ok(())
    }
}

/// The training of a checkpoint, or a new one.
fn start(plan: &Plan, learnt: &Samples, origin: [u8; 32]) -> anyhow::Result<Trainer> {
    let path = plan.checkpoint();
    if !path.is_file() {
        let scale = learnt.best_scale();
        return Ok(Trainer::new(GameKind::Xiangqi, plan.settings.clone(), scale, origin)?);
    }
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let hint = "remove the file to begin anew, or name another network with --out";
    let trainer = Trainer::resume(&bytes)
        .map_err(|error| hinted(format_args!("{}: {error}", path.display()), hint))?;
    if *trainer.settings() != plan.settings || trainer.origin() != origin {
        let what = format_args!("{}: it is of other settings or other games", path.display());
        return Err(hinted(what, hint));
    }
    say(format_args!("going on from {}", path.display()));
    Ok(trainer)
}

/// The error over what is held out, epoch by epoch, in eighths of its range.
fn curve(history: &[Epoch]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let losses = || history.iter().rev().take(40).rev().map(|epoch| epoch.held_out);
    let least = losses().fold(f64::INFINITY, f64::min);
    let most = losses().fold(f64::NEG_INFINITY, f64::max);
    let step = |loss: f64| {
        let part = (loss - least) / (most - least).max(f64::MIN_POSITIVE);
        STEPS[((part * 7.0).round() as usize).min(7)]
    };
    losses().map(step).collect()
}

/// A file beside another, its name longer by an ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl Plan {
    fn checkpoint(&self) -> PathBuf {
        beside(&self.out, ".training")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_spans_its_range() {
        let epoch = |held_out| Epoch { epoch: 1, loss: 0.0, held_out, rate: 0.0 };
        assert_eq!(curve(&[epoch(0.08), epoch(0.04), epoch(0.01)]), "█▄▁");
        assert_eq!(curve(&[]), "");
        assert_eq!(curve(&[epoch(0.5)]), "▁");
    }
}
