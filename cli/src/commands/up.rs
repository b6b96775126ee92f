//! `elomill up`: the whole house, to stay.

use crate::house::{House, HouseArgs, Worker};
use crate::interrupt::Interrupt;
use crate::output::{json, line, say};
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    house: HouseArgs,
    /// Only coordinate; workers elsewhere play
    #[arg(long)]
    no_worker: bool,
    /// Log to stderr, for a service manager, in place of logs/elomill.log of the data folder
    #[arg(long)]
    log_stderr: bool,
    /// Print the addresses as one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// A part of the house does not start, cannot go on, or does not end.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let interrupt = Interrupt::listen()?;
        if self.log_stderr {
            crate::logging::to_stderr("info");
        } else {
            crate::logging::to_file(self.house.folder()?.log_file("elomill.log")?);
        }
        let worker = if self.no_worker { Worker::None } else { Worker::Own };
        let mut house = self.house.open(worker).await?;
        let told = self.tell(&house);
        let outcome = match told {
            Err(error) => Err(error),
            Ok(()) => tokio::select! {
                () = interrupt.finish.cancelled() => Ok(()),
                error = house.failed() => Err(error),
            },
        };
        let closed = house.close(&interrupt).await;
        outcome.and(closed)?;
        say("ended");
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, house: &House) -> anyhow::Result<()> {
        let (pages, url, metrics) = (house.pages(), house.url(), house.metrics_url());
        if self.json {
            let pid = std::process::id();
            let told = serde_json::json!({
                "url": pages, "grpc": url, "reach": house.reach(), "pid": pid, "metrics": metrics
            });
            return json(&told);
        }
        line(format_args!("web pages  {pages}/"))?;
        line(format_args!("gRPC       {url}"))?;
        if let Some(metrics) = metrics {
            line(format_args!("metrics    {metrics}"))?;
        }
        let options = self.house.data_dir_option();
        match house.reach() {
            Some(reach) => say(format_args!(
                "other machines reach {reach}: elomill invite{options} prints a link for them"
            )),
            None => say(format_args!(
                "for this machine only; --listen 0.0.0.0:8117 lets workers of others join"
            )),
        }
        say(format_args!("file a run: elomill tune FILE{options}"));
        say("end with Ctrl-C");
        Ok(())
    }
}
