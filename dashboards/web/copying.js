// What a tune suggests as text for other programs: options of match runners, `setoption` lines, run files
// of this project, and the inputs of other tuners.

import { field, getJson, show } from './common.js';
import { runId } from './run.js';

/** @typedef {{name: string, kind: string, start: number, min: number, max: number, c_end: number, r_end: number}} Parameter */
/** @typedef {(parameters: {p: Parameter, value: number}[], fixed: [string, number][]) => string} Writer */

const lines = (list, line) => list.map(line).join('\n');
const isWhole = (p) => p.kind.endsWith('int') || p.kind === 'categorical';
const num = (value) => String(Number(Number(value).toPrecision(12)));
/** The perturbation at the value itself: that of a logarithmic parameter grows with it. */
const width = (p, value) => (p.kind.startsWith('log-') ? value * p.c_end : p.c_end);

/** @type {Record<string, {title: string, write: Writer}>} */
export const FORMS = {
  setoption: {
    title: 'setoption lines',
    write: (all, fixed) => lines([...all.map(({ p, value }) => [p.name, value]), ...fixed], ([name, value]) => `setoption name ${name} value ${num(value)}`),
  },
  options: {
    title: 'UCI options of a match runner',
    write: (all, fixed) => [...all.map(({ p, value }) => [p.name, value]), ...fixed].map(([name, value]) => `option.${name}=${num(value)}`).join(' '),
  },
  toml: {
    title: 'TOML of a run file',
    write: (all, fixed) => `[candidate]\n${lines([...all.map(({ p, value }) => [p.name, value]), ...fixed], ([name, value]) => `${name} = ${num(value)}`)}`,
  },
  openbench: {
    title: 'OpenBench SPSA input',
    write: (all) => lines(all, ({ p, value }) => [p.name, isWhole(p) ? 'int' : 'float', num(value), num(p.min), num(p.max), num(width(p, value)), num(p.r_end)].join(', ')),
  },
  fishtest: {
    title: 'fishtest SPSA parameters',
    write: (all) => lines(all, ({ p, value }) => [p.name, num(value), num(p.min), num(p.max), num(width(p, value)), num(p.r_end)].join(',')),
  },
};

/** All parameters of the run, not only those that the page shows. */
const fill = async () => {
  const form = FORMS[field('copy-form').value];
  const which = field('copy-values').value;
  try {
    const run = await getJson(`/api/runs/${runId}`);
    const { parameters, fixed } = run.spec.job.tune;
    const { theta, suggested } = run.progress.tune;
    const value = (p, i) => (which === 'start' ? p.start : which === 'now' ? theta[i] : suggested[p.name] ?? p.start);
    field('copy-text').value = form.write(parameters.map((p, i) => ({ p, value: value(p, i) })), Object.entries(fixed ?? {}));
    show('copied', '');
  } catch (error) {
    show('copied', /** @type {Error} */ (error).message);
  }
};

for (const [key, { title }] of Object.entries(FORMS)) field('copy-form').append(new Option(title, key));
field('copy-form').addEventListener('change', fill);
field('copy-values').addEventListener('change', fill);
field('copy').addEventListener('toggle', () => { if (field('copy').open) fill(); });
field('copy-button').addEventListener('click', async () => {
  const text = field('copy-text');
  try {
    await navigator.clipboard.writeText(text.value);
    show('copied', 'Copied.');
  } catch {
    // Without permission the text is selected, for the hand to copy.
    text.select();
    show('copied', 'Selected: copy it with the keyboard.');
  }
});
