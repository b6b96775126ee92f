// The overview: the cluster in five numbers, the runs, the workers.

import { count, duration, el, field, fixed, follow, fromAddress, inAddress, percent, put, setGauge, short, show, showIf, signed, spark, stamp } from './common.js';

const rate = spark(field('spark'));
/** Rows stay the same elements from one update to the next, so that focus and selection stay. @type {Map<string, any>} */
const rows = new Map();

/** @param {any} run */
const newRow = (run) => {
  const parts = {
    name: el('a', 'name', run.name), state: el('span', 'state'), facts: el('span', 'sub'),
    fill: el('i', ''), share: el('b', ''), pairs: el('span', 'sub'),
    main: el('b', ''), side: el('span', 'sub'), pace: el('b', ''), eta: el('span', 'sub'),
    gauge: el('div', 'gauge small', el('div', 'rail', el('i', 'zero'), el('i', 'fill'), el('i', 'dot'))),
  };
  parts.name.setAttribute('href', `/runs/${run.id}`);
  parts.gauge.setAttribute('aria-hidden', 'true');
  const result = el('div', 'cell result', el('div', 'line', parts.main, parts.side));
  if (run.test && run.kind === 'test') result.append(parts.gauge);
  const row = el('li', 'card run',
    el('div', 'cell who', parts.name, el('div', 'line', parts.state, parts.facts)),
    el('div', 'cell', el('div', 'line', parts.share, parts.pairs), el('div', 'meter', parts.fill)),
    result,
    el('div', 'cell pace', parts.pace, parts.eta));
  return { row, ...parts };
};

/** @param {any} test */
const verdict = (test) => {
  if (test.verdict) return test.verdict;
  if (test.llr == null) return 'a match';
  return `LLR ${signed(test.llr)}`;
};

/** @param {any} run */
const runRow = (run) => {
  const key = `run ${run.id}`;
  const parts = rows.get(key) ?? newRow(run);
  rows.set(key, parts);
  const over = run.state === 'finished' || run.state === 'stopped';
  put(parts.state, run.queued ? 'queued' : run.state);
  parts.state.dataset.state = run.queued ? 'queued' : run.state;
  put(parts.facts, `#${run.id} ${run.kind} · ${run.game} · ${run.state_reason || `since ${stamp(run.created_at_unix_ms)}`}`);
  put(parts.share, percent(run.counted_pairs, run.asked_pairs));
  put(parts.pairs, `${count(run.counted_pairs)} of ${count(run.asked_pairs)} pairs`);
  parts.fill.style.width = `${100 * Math.min(1, run.counted_pairs / run.asked_pairs)}%`;
  parts.row.classList.toggle('over', over);
  if (run.test) {
    put(parts.main, `${signed(run.test.elo, 1)} Elo`);
    put(parts.side, `95 %: ${signed(run.test.elo_low, 1)} to ${signed(run.test.elo_high, 1)} · ${verdict(run.test)}`);
    if (run.kind === 'test') {
      setGauge(parts.gauge, run.test);
      parts.side.title = `The LLR rejects at ${signed(run.test.lower)} and accepts at ${signed(run.test.upper)}`;
    }
    parts.row.dataset.verdict = run.test.verdict ?? 'open';
  } else if (run.race) {
    const { open, accepted, rejected, first, verdict: said } = run.race;
    put(parts.main, first.name);
    put(parts.side, `${said ?? `LLR ${signed(first.llr)}`} · ${accepted} accepted, ${open} open, ${rejected} rejected`);
    parts.row.dataset.verdict = said ?? 'open';
  } else if (run.moved) {
    put(parts.main, `${count(run.moved.parameters)} parameter${run.moved.parameters === 1 ? '' : 's'}`);
    put(parts.side, `${run.moved.name} moved most: ${signed(run.moved.steps, 1)} c_end`);
  }
  parts.pace.title = over ? '' : `${percent(run.core_share, 1)} of the leases that are out, so of the cores`;
  put(parts.pace, over ? (run.ended_at_unix_ms ? 'ended' : '–') : `${count(Math.round(120 * run.pairs_per_second))} games/min · ${Math.round(100 * run.core_share)} % of the cores`);
  put(parts.eta, over ? (run.ended_at_unix_ms ? stamp(run.ended_at_unix_ms) : '') : eta(run));
  return parts.row;
};

/** What is left: until the verdict with its spread, or until the budget is played. @param {any} run */
const eta = (run) => {
  if (run.verdict_seconds) return `${duration(run.verdict_seconds[0])} left, 95 %: ${duration(run.verdict_seconds[1])}`;
  return run.eta_seconds == null ? 'no rate yet' : `${duration(run.eta_seconds)} left`;
};

/** @param {any} worker */
const status = (worker) => {
  if (!worker.connected) return `away for ${duration((Date.now() - worker.last_seen_unix_ms) / 1000)}`;
  return worker.idle_reason ? `idle: ${worker.idle_reason}` : 'playing';
};

/** @param {any} worker */
const workerRow = (worker) => {
  const key = `worker ${worker.id}`;
  let row = rows.get(key);
  if (!row) {
    row = el('tr', '', el('th', ''), el('td', 'dim wide'), ...[0, 1, 2, 3, 4].map(() => el('td', 'n')), el('td', ''));
    row.firstChild.setAttribute('scope', 'row');
    rows.set(key, row);
  }
  row.dataset.link = worker.connected ? (worker.idle_reason ? 'idle' : 'live') : 'away';
  row.title = `${worker.software_version}, ${worker.cores} cores${worker.last_refusal && `; refused last: ${worker.last_refusal}`}`;
  [worker.name, worker.platform, `${worker.playing_games} / ${worker.slots}`,
    worker.connected ? short(worker.nodes_per_second) : '–', count(worker.active_leases), count(worker.counted_pairs),
    count(worker.refused_reports),
    status(worker)].forEach((text, i) => put(row.children[i], text));
  return row;
};

/** Puts the rows in place where they are not. @param {Element} box @param {Node[]} nodes @param {Node} empty */
const place = (box, nodes, empty) => {
  const wanted = nodes.length ? nodes : [empty];
  if (wanted.length !== box.childNodes.length || wanted.some((node, i) => box.childNodes[i] !== node)) box.replaceChildren(...wanted);
};
const noRuns = el('li', 'empty', 'No runs yet. Start one with ', el('code', '', 'elomill tune FILE'), ' or ', el('code', '', 'elomill test FILE'), '.');
const noWorkers = el('tr', '', el('td', 'empty', 'No workers yet. Start one with ', el('code', '', 'elomill worker'), '.'));
noWorkers.firstElementChild?.setAttribute('colspan', '8');

const form = field('filters');
const NAMES = ['q', 'state', 'kind', 'game'];
const asked = (name) => form.elements.namedItem(name);
for (const name of NAMES) asked(name).value = fromAddress(name);
/** Whether a run is meant by the words of the address. @param {any} run */
const isMeant = (run) => {
  const text = `#${run.id} ${run.name} ${run.state_reason}`.toLowerCase();
  return text.includes(asked('q').value.trim().toLowerCase())
    && ['', run.queued ? 'queued' : run.state].includes(asked('state').value)
    && ['', run.kind].includes(asked('kind').value) && ['', run.game].includes(asked('game').value);
};
/** @type {any} */
let last = null;
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', () => {
  inAddress(Object.fromEntries(NAMES.map((name) => [name, asked(name).value.trim()])));
  if (last) list(last);
});
const noneMeant = el('li', 'empty', 'No run is meant by that.');
/** @param {any} data */
const list = ({ runs }) => {
  const meant = runs.filter(isMeant);
  place(field('runs'), meant.map(runRow), runs.length ? noneMeant : noRuns);
  show('found', meant.length === runs.length ? '' : `${count(meant.length)} of ${count(runs.length)}`);
};

/** @param {any} data */
const draw = ({ runs, older, workers }) => {
  last = { runs };
  const sum = (of, what) => of.reduce((total, item) => total + item[what], 0);
  const here = workers.filter((w) => w.connected);
  // Of a run that is over it is the rate of its whole life.
  const speed = sum(runs.filter((r) => r.state === 'running' || r.state === 'paused'), 'pairs_per_second');
  show('rate', count(Math.round(120 * speed)));
  rate(speed);
  show('running', count(runs.filter((r) => r.state === 'running').length));
  show('run-total', `${count(runs.length + older)} in all`);
  show('connected', count(here.length));
  show('worker-total', `${count(workers.length)} known`);
  show('playing', count(sum(here, 'playing_games')));
  show('slots', `in ${count(sum(here, 'slots'))} slots`);
  show('nodes', short(sum(here, 'nodes_per_second')));
  list({ runs });
  showIf('older', older ? `${count(older)} older runs are listed at /api/runs.` : '');
  place(field('workers'), workers.map(workerRow), noWorkers);
};

follow('/events', draw, draw);
