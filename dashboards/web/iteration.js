// A tune at any time: the point then, recomputed from the ledger, and what was played next.

import { anchor, count, field, fillRows, getJson, inSteps, row, show, signed } from './common.js';
import { runId } from './run.js';

/** @param {any} run the run with all of its parameters */
const draw = (run, told) => {
  const { parameters } = run.spec.job.tune;
  const digits = (p, v) => inSteps(v, p.kind.startsWith('log-') ? Math.abs(v) * p.c_end : p.c_end);
  const { next } = told;
  const rows = parameters.slice(0, 1000).map((p, i) => row(
    p.name, { n: digits(p, told.state.theta[i]) },
    { n: next ? `${signed(next.flips[i] * next.c[i], 3)}` : '–' },
    { n: next ? digits(p, next.plus[i]) : '–' }, { n: next ? digits(p, next.minus[i]) : '–' }));
  fillRows(field('iteration-rows'), rows, 'No parameters.');
  const sum = field('iteration-sum');
  sum.replaceChildren(`After ${count(told.pairs)} pairs, in ${count(told.reports)} reports. `);
  if (next) {
    const { wins, draws, losses } = next.tally.wdl;
    sum.append(`Then worker `, anchor(`/workers/${next.worker}`, `#${next.worker}`), ` played plus against minus, from pair ${count(next.first_pair)} on: ${wins} won, ${draws} drawn, ${losses} lost.`);
  } else {
    sum.append('No report has come after it.');
  }
  const before = run.spec.job.tune.forked_from?.pairs ?? 0;
  show('fork-command', `elomill runs fork ${runId} --at ${before + told.pairs}`);
  // Only authors have the form.
  const at = field('fork-at');
  if (at) at.value = String(before + told.pairs);
  field('fork').hidden = false;
};

/** @param {Event} event */
const ask = async (event) => {
  event.preventDefault();
  const sum = field('iteration-sum');
  sum.textContent = 'Replaying the ledger …';
  try {
    const pairs = Math.max(0, Math.floor(Number(field('iteration-pairs').value)));
    const [run, told] = await Promise.all([getJson(`/api/runs/${runId}`), getJson(`/api/runs/${runId}/at/${pairs}`)]);
    draw(run, told);
  } catch (error) {
    sum.textContent = /** @type {Error} */ (error).message;
  }
};

field('iteration-form').addEventListener('submit', ask);
/** A place in the chart becomes the place to replay to. @param {number} pairs */
export const choose = (pairs) => { field('iteration-pairs').value = String(pairs); };
