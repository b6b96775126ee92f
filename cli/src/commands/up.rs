//! `elomill up`: the whole house, to stay.

use crate::house::{House, HouseArgs, Worker};
use crate::interrupt::Interrupt;
use crate::output::{hinted, json, line, say};
use coordinator::Lead;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    house: HouseArgs,
    /// Only coordinate; workers elsewhere play
    #[arg(long)]
    no_worker: bool,
    /// Wait while another coordinator leads the database, and take over when it goes; without a worker
    #[arg(long)]
    standby: bool,
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
        if self.standby && !self.house.shares_a_database() {
            return Err(hinted(
                "--standby needs a database that another coordinator leads",
                "give both coordinators the same --database-url, and --standby to both",
            ));
        }
        let worker = if self.no_worker || self.standby { Worker::None } else { Worker::Own };
        let lead = if self.standby { Lead::StandBy } else { Lead::AtOnce };
        let mut house = self.house.open(worker, lead).await?;
        let outcome = tokio::select! {
            outcome = self.stay(&mut house) => outcome,
            () = interrupt.finish.cancelled() => Ok(()),
        };
        let closed = house.close(&interrupt).await;
        outcome.and(closed)?;
        say("ended");
        Ok(ExitCode::SUCCESS)
    }

    /// Says where the house is once it serves; comes back only with an error.
    async fn stay(&self, house: &mut House) -> anyhow::Result<()> {
        if self.standby {
            say(format_args!("standing by at {}; end with Ctrl-C", house.url()));
            house.serves().await?;
        }
        self.tell(house)?;
        Err(house.failed().await)
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
