//! What operators look at, on a house of real processes: the metrics of coordinator and worker by
//! the rules of Prometheus, every alert rule, every panel of both dashboards.

use crate::support::{Running, data_dir, file, good, object};
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, Row};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A test that its candidate passes at once: it only must not be much weaker than itself.
const TEST: &str = r#"name = "a step"
game = "tictactoe"
seed = 5
lease_pairs = 4
[limit]
nodes = 30
[candidate]
lmr_base = 1.0
[base]
lmr_base = 0.0
[sprt]
elo0 = -200
elo1 = -100
model = "logistic"
[test]
max_pairs = 400
"#;

const TUNE: &str = r#"name = "two parameters"
game = "tictactoe"
seed = 6
lease_pairs = 4
[limit]
nodes = 30
[tune]
pairs = 24
[[parameter]]
name = "lmr_base"
c_end = 1
r_end = 0.02
[[parameter]]
name = "lmp_base"
c_end = 6
r_end = 0.02
"#;

/// Far above what anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A child that is killed with the test, and the address that it logs.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts a program and reads its log until a line has `mark` and an address.
    fn start(mut command: Command, mark: &str) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}; install prometheus"));
        let mut log = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
        let mut seen = String::new();
        let address = loop {
            let start = seen.len();
            assert_ne!(log.read_line(&mut seen).expect("a log is text"), 0, "it ended: {seen}");
            let line = &seen[start..];
            if let Some((_, rest)) = line.split_once("address=").filter(|_| line.contains(mark)) {
                break rest.split_whitespace().next().expect("an address").to_owned();
            }
        };
        // Nobody reads on; a full pipe must not hold it up.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The body of a page, which must be there.
fn page(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the port answers");
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the answer is text");
    assert!(answer.starts_with("HTTP/1.0 200"), "{path}: {answer}");
    answer.split_once("\r\n\r\n").expect("a head and a body").1.to_owned()
}

fn promtool(args: &[&str], input: &str) -> Output {
    let mut child = Command::new("promtool")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is installed (Debian: prometheus)");
    child.stdin.take().expect("stdin is a pipe").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// The figures are well named and documented, and one of them is more than 0.
fn lint(text: &str, counted: &str) {
    let lint = promtool(&["check", "metrics"], text);
    let words = [lint.stdout, lint.stderr].concat();
    assert!(lint.status.success() && words.is_empty(), "{}", String::from_utf8_lossy(&words));
    let line = text.lines().find(|line| line.starts_with(counted));
    let value = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    assert!(value.is_some_and(|value| value > 0.0), "{counted}: {line:?}");
}

/// Every target of a dashboard's panels, with the panel's title.
fn targets(dashboard: &Value) -> Vec<(String, &Value)> {
    let panels = dashboard["panels"].as_array().expect("panels");
    let of = |panel: &Value| panel["title"].as_str().expect("a title").to_owned();
    panels
        .iter()
        .flat_map(|panel| {
            let targets = panel["targets"].as_array().expect("targets");
            targets.iter().map(move |target| (of(panel), target))
        })
        .collect()
}

fn dashboard(name: &str) -> Value {
    let path = repository("dashboards/grafana").join(name);
    let text = std::fs::read_to_string(&path).expect("the dashboard is there");
    serde_json::from_str(&text).expect("a dashboard is JSON")
}

/// Prometheus with the alert rules, looking at these addresses every second.
fn prometheus(folder: &Path, watched: &[&str]) -> Server {
    let rules = repository("dashboards/prometheus/rules.yml");
    let config = serde_json::json!({
        "global": { "scrape_interval": "1s", "evaluation_interval": "1s" },
        "rule_files": [rules.canonicalize().expect("the rules are there")],
        "scrape_configs": [{
            "job_name": "elomill", "static_configs": [{ "targets": watched }],
        }],
    });
    // JSON is YAML.
    let config = file(folder, "prometheus.yml", &config.to_string());
    let mut command = Command::new("prometheus");
    command
        .arg(format!("--config.file={}", config.display()))
        .arg(format!("--storage.tsdb.path={}", folder.join("prometheus").display()))
        .arg("--web.listen-address=127.0.0.1:0")
        .stdout(Stdio::null());
    Server::start(command, "msg=\"Listening on\"")
}

/// The samples of an expression.
fn samples(prometheus: &Server, expression: &str) -> Vec<Value> {
    let url = format!("http://{}", prometheus.address);
    let asked = promtool(&["query", "instant", "--format=json", &url, expression], "");
    let errors = String::from_utf8_lossy(&asked.stderr);
    assert!(asked.status.success(), "{expression}: {errors}");
    serde_json::from_slice(&asked.stdout).expect("a list of samples")
}

/// Waits until an expression has samples: a rate needs two scrapes, a rule its next evaluation.
fn wait_for_samples(prometheus: &Server, what: &str, expression: &str) {
    let began = Instant::now();
    while samples(prometheus, expression).is_empty() {
        assert!(began.elapsed() < PATIENCE, "{what}: {expression} shows nothing");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// What Grafana makes of a panel's text.
fn filled_in(sql: &str, test: &str, tune: &str) -> String {
    let mut text = sql
        .replace("${test:sqlstring}", &format!("'{test}'"))
        .replace("${tune:sqlstring}", &format!("'{tune}'"));
    while let Some(start) = text.find("$__timeFilter(") {
        let end = start + text[start..].find(')').expect("a closing bracket");
        let column = text[start + "$__timeFilter(".len()..end].to_owned();
        let span = format!("{column} BETWEEN now() - interval '1 day' AND now()");
        text.replace_range(start..=end, &span);
    }
    assert!(!text.contains('$'), "{text}");
    text
}

/// Makes the login of the dashboards as the documentation says.
fn make_dashboard_login(folder: &Path) {
    let made = Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(["db", "--data-dir"])
        .arg(folder)
        .args(["psql", "--quiet", "--set", "password=secret", "--file"])
        .arg(repository("deploy/postgres/dashboard_role.psql"))
        .output()
        .expect("the command starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Every SQL panel and variable has rows for the login of the dashboards, which can do nothing else.
fn check_sql(folder: &Path, test: &str, tune: &str) {
    make_dashboard_login(folder);
    let socket = object(folder, &["db", "status", "--json"])["socket_dir"].clone();
    let options = PgConnectOptions::new_without_pgpass()
        .socket(socket.as_str().expect("a socket"))
        .username("elomill_dashboard")
        .database(pgbox::DATABASE);
    let dashboard = dashboard("elo-progress.json");
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let mut reader = options.connect().await.expect("the login is let in");
        let panels = targets(&dashboard).into_iter().map(|(title, target)| {
            (title, target["rawSql"].as_str().expect("a statement").to_owned())
        });
        let variables = dashboard["templating"]["list"].as_array().expect("variables");
        let variables = variables.iter().map(|variable| {
            let text = |field: &str| variable[field].as_str().expect("a text").to_owned();
            (text("name"), text("query"))
        });
        let mut seen = 0;
        for (title, sql) in panels.chain(variables) {
            let sql = filled_in(&sql, test, tune);
            let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(&mut reader).await;
            let rows = rows.unwrap_or_else(|error| panic!("{title}: {error}"));
            assert!(!rows.is_empty(), "{title} shows nothing");
            seen += 1;
        }
        assert!(seen >= 9, "{seen}");
        let elo: Option<f64> = sqlx::query("SELECT total_elo FROM dashboard.elo_progress")
            .fetch_one(&mut reader)
            .await
            .expect("a step")
            .get(0);
        assert!(elo.is_some_and(f64::is_finite), "{elo:?}");
        for forbidden in
            ["SELECT FROM workers", "SELECT FROM public.runs", "CREATE TEMPORARY TABLE t ()"]
        {
            let refused = sqlx::query(forbidden).execute(&mut reader).await;
            let refused = refused.expect_err(forbidden).to_string();
            assert!(
                refused.contains("permission denied") || refused.contains("read-only"),
                "{forbidden}: {refused}"
            );
        }
        reader.close().await.expect("closed");
    });
}

#[test]
fn every_figure_of_the_dashboards_is_there() {
    let folder = data_dir();
    let folder = folder.path();
    let mut house = Running::start(
        folder,
        &["up", "--json", "--no-worker", "--listen", "127.0.0.1:0", "--metrics=127.0.0.1:0"],
    );
    let told = house.next_object().expect("the house says where it is");
    let metrics = told["metrics"].as_str().expect("an address");
    let coordinator = metrics.trim_start_matches("http://").trim_end_matches("/metrics");

    let mut worker = Command::new(env!("CARGO_BIN_EXE_elomill"));
    let invited = object(folder, &["invite", "--json"]);
    let link = invited["link"].as_str().expect("a link");
    worker.args(["worker", "join", link, "--slots", "2", "--metrics=127.0.0.1:0"]);
    worker.arg("--state-dir").arg(folder.join("elsewhere")).env_remove("ELOMILL_LOG");
    let worker = Server::start(worker, "metrics are shown");
    // Looks from before the first game on, so that its rates have a beginning.
    let prometheus = prometheus(folder, &[coordinator, &worker.address]);
    wait_for_samples(&prometheus, "both are reached", "count(up == 1) == 2");

    let run = |kind: &str, name: &str, text: &str| {
        let path = file(folder, name, text);
        let filed = object(folder, &[kind, path.to_str().expect("plain"), "--json"]);
        let id = filed["id"].to_string();
        good(folder, &["watch", &id, "--json"]);
        object(folder, &["runs", "show", &id, "--json"])
    };
    let test = run("test", "test.toml", TEST);
    assert_eq!(test["progress"]["test"]["verdict"], "accepted", "{test}");
    let tune = run("tune", "tune.toml", TUNE);
    assert_eq!(tune["state"], "finished", "{tune}");

    lint(&page(coordinator, "/metrics"), "elomill_pairs_merged_total{game=\"tictactoe\"}");
    lint(&page(&worker.address, "/metrics"), "elomill_worker_pairs_accepted_total");
    for address in [coordinator, &worker.address] {
        assert_eq!(page(address, "/healthz"), "ok\n");
    }

    let merged =
        "sum(elomill_pairs_merged_total) > 0 and sum(elomill_worker_pairs_accepted_total) > 0";
    wait_for_samples(&prometheus, "pairs are seen", merged);
    let health = dashboard("cluster-health.json");
    for (title, target) in targets(&health) {
        let expression = target["expr"].as_str().expect("an expression");
        let expression = expression.replace("$__rate_interval", "1m");
        wait_for_samples(&prometheus, &title, &expression);
    }
    // The rules are loaded, computed and silent: nothing is wrong with this house.
    wait_for_samples(&prometheus, "the rules are computed", "game:elomill_games:rate5m");
    assert_eq!(samples(&prometheus, "ALERTS"), Vec::<Value>::new());
    let rules = repository("dashboards/prometheus/rules_test.yml");
    let tested = promtool(&["test", "rules", rules.to_str().expect("plain")], "");
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));

    check_sql(folder, &test["id"].to_string(), &tune["id"].to_string());
    drop((worker, prometheus));
    assert!(house.interrupt().success());
}
