//! What a worker shows to Prometheus: its status, read when somebody looks.

use crate::Status;
use telemetry::prometheus::{Error, IntCounter, IntGauge, Opts};
use telemetry::{Port, Registry};
use tokio::sync::watch;

/// Serves for as long as it is polled.
pub(crate) async fn serve(port: Port, status: watch::Receiver<Status>) {
    let figures =
        Figures::registered().expect("the names are constants, and a test makes them all");
    let registry = figures.registry.clone();
    let look = move || figures.show(&status.borrow());
    if let Err(error) = port.serve(registry, look, std::future::pending()).await {
        tracing::error!(%error, "the metrics can no longer be shown");
    }
}

struct Figures {
    registry: Registry,
    connected: IntGauge,
    slots: IntGauge,
    slots_busy: IntGauge,
    nodes_per_second: IntGauge,
    leases: IntGauge,
    spool: IntGauge,
    played: IntCounter,
    accepted: IntCounter,
    returned: IntCounter,
    sessions: IntCounter,
}

impl Figures {
    fn registered() -> Result<Self, Error> {
        let registry = Registry::new();
        let version = IntGauge::with_opts(
            Opts::new(
                "elomill_worker_build_info",
                "1, with the version of the program as a label.",
            )
            .const_label("version", env!("CARGO_PKG_VERSION")),
        )?;
        version.set(1);
        registry.register(Box::new(version))?;
        let gauge = |name: &str, help: &str| -> Result<IntGauge, Error> {
            let made = IntGauge::new(format!("elomill_worker_{name}"), help)?;
            registry.register(Box::new(made.clone()))?;
            Ok(made)
        };
        let counter = |name: &str, help: &str| -> Result<IntCounter, Error> {
            let made = IntCounter::new(format!("elomill_worker_{name}_total"), help)?;
            registry.register(Box::new(made.clone()))?;
            Ok(made)
        };
        Ok(Self {
            connected: gauge("connected", "Whether the coordinator has welcomed this worker.")?,
            slots: gauge("slots", "Games that can be played at a time.")?,
            slots_busy: gauge("slots_busy", "Slots that play now.")?,
            nodes_per_second: gauge(
                "nodes_per_second",
                "Nodes searched in a second by all playing slots, each by its last pair.",
            )?,
            leases: gauge("leases", "Leases held.")?,
            spool: gauge("spooled_pairs", "Finished pairs that are not acknowledged yet.")?,
            played: counter("pairs_played", "Pairs played to their end.")?,
            accepted: counter("pairs_accepted", "Pairs that the coordinator acknowledged.")?,
            returned: counter("leases_returned", "Leases given back unfinished.")?,
            sessions: counter("sessions", "Times that the coordinator welcomed this worker.")?,
            registry,
        })
    }

    fn show(&self, status: &Status) {
        self.connected.set(status.connected.into());
        self.slots.set(status.slots.into());
        self.slots_busy.set(status.playing.into());
        self.nodes_per_second.set(whole(status.nodes_per_second.0));
        self.leases.set(whole(status.leases as u64));
        self.spool.set(whole(status.spooled.0));
        for (counter, count) in [
            (&self.played, status.played.0),
            (&self.accepted, status.accepted.0),
            (&self.returned, status.returned_leases),
            (&self.sessions, status.sessions),
        ] {
            // The status counts; two looks at the same moment find the same.
            counter.inc_by(count.saturating_sub(counter.get()));
        }
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pairs;

    #[test]
    fn counters_follow_the_status_and_never_fall() {
        let figures = Figures::registered().unwrap();
        let mut status = Status { slots: 4, playing: 3, played: Pairs(7), ..Status::default() };
        figures.show(&status);
        figures.show(&status);
        assert_eq!(
            (figures.slots.get(), figures.slots_busy.get(), figures.played.get()),
            (4, 3, 7)
        );
        status.played = Pairs(9);
        status.playing = 0;
        figures.show(&status);
        assert_eq!((figures.slots_busy.get(), figures.played.get()), (0, 9));
    }
}
