//! The helper: puts a policy on its own process and becomes the command.

#[cfg(all(unix, not(target_os = "linux")))]
use crate::level::Layer;
use crate::level::{Level, State};
use crate::policy::Order;
use std::path::PathBuf;

/// The word by which a program is called as a helper, its first argument.
pub const CALLED: &str = "sandbox-exec";

/// Exit status of a helper that does not start the command, as `env` and `nohup` have it.
const FAILED: i32 = 125;

/// Does the work of a helper and does not come back, if the process was called as one. To be called
/// first thing in `main`, while there is one thread.
pub fn serve_if_called() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == CALLED) {
        let problem = serve(words.map(PathBuf::from));
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("sandbox: {problem}\n").as_bytes(),
        );
        std::process::exit(FAILED);
    }
}

/// Comes back only with the reason why the command was not started.
fn serve(words: impl Iterator<Item = PathBuf>) -> String {
    let order = match Order::parse(words) {
        Ok(order) => order,
        Err(problem) => return problem,
    };
    if order.command.is_empty() {
        let level = enter(&order, None);
        let text = match serde_json::to_string(&level) {
            Ok(text) => text,
            Err(error) => return error.to_string(),
        };
        let said = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
        std::process::exit(i32::from(said.is_err()) * FAILED);
    }
    run(&order)
}

#[cfg(unix)]
fn run(order: &Order) -> String {
    use std::os::unix::process::CommandExt;
    let name = &order.command[0];
    // While the environment is still the caller's.
    let Some(program) = located(name) else {
        return format!("cannot start `{}`: there is no such program", name.display());
    };
    if order.free {
        #[cfg(target_os = "linux")]
        if let State::Missing(reason) = crate::linux::die_with(order.parent) {
            return format!("`{}` would outlive who starts it: {reason}", name.display());
        }
        let mut command = std::process::Command::new(&program);
        let error = command.arg0(name).args(&order.command[1..]).exec();
        return format!("cannot start `{}`: {error}", program.display());
    }
    let level = enter(order, Some(&program));
    for standing in level.standings() {
        if let State::Missing(reason) = &standing.state
            && order.required.contains(&standing.layer)
        {
            return format!("{} cannot be put in force any more: {reason}", standing.layer.name());
        }
    }
    let home = order.policy.scratch.clone().unwrap_or_else(|| PathBuf::from("/"));
    let error = std::process::Command::new(&program)
        .arg0(name)
        .args(&order.command[1..])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &home)
        .env("TMPDIR", &home)
        .env("LANG", "C.UTF-8")
        .exec();
    format!("cannot start `{}`: {error}", program.display())
}

#[cfg(not(target_os = "linux"))]
fn nothing() -> State {
    State::Missing(format!("{} has nothing that is used for it", std::env::consts::OS))
}

#[cfg(not(unix))]
fn run(_: &Order) -> String {
    "this system cannot put a program in the place of another".to_owned()
}

/// The program's own file: a path, or the first of this name where the environment says.
#[cfg(unix)]
fn located(name: &std::path::Path) -> Option<PathBuf> {
    if name.components().count() > 1 || name.is_absolute() {
        return std::path::absolute(name).ok();
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Puts everything in force that the system has.
fn enter(order: &Order, program: Option<&std::path::Path>) -> Level {
    #[cfg(target_os = "linux")]
    return crate::linux::enter(order, program);
    #[cfg(all(unix, not(target_os = "linux")))]
    {
        let _ = program;
        let memory = crate::limits::set(&order.policy);
        Level::new(|layer| match layer {
            Layer::Memory => memory.clone(),
            Layer::Leftovers => State::Weaker("descriptors are left to who starts it".to_owned()),
            _ => nothing(),
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (order, program);
        Level::new(|_| nothing())
    }
}
