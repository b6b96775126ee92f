// The page of a race: its verdict in words, the table of its candidates.

import { count, field, put, show, signed } from './common.js';
import { breakdown } from './breakdown.js';
import { followRun } from './run.js';

/**
 * The verdict as a word and as a sentence.
 * @param {any} run @param {any} race @returns {[string, string]}
 */
const verdict = (run, race) => {
  const after = `after ${count(run.counted_pairs)} pairs`;
  const accepted = race.candidates.filter((c) => c.state === 'accepted');
  const winner = race.candidates[race.winner];
  if (race.verdict === 'accepted') return ['Accepted', `${accepted.length > 1 ? `${accepted.length} candidates pass; ${winner.name} has shown most` : `${winner.name} passes`}, ${after}.`];
  if (race.verdict === 'rejected') return ['Rejected', `No candidate has the gain asked for, ${after}.`];
  if (race.verdict === 'inconclusive') return ['Inconclusive', `The budget ended before any candidate passed, ${after}.`];
  if (run.state === 'stopped') return ['No verdict', `Stopped by hand ${after}.`];
  return [run.state === 'paused' ? 'Paused, undecided' : 'Undecided so far', `Of those that are open, the one that may be strongest plays next; ${count(run.counted_pairs)} pairs so far.`];
};

const DECIDED = { open: 'running', accepted: 'finished', rejected: 'stopped' };

followRun((run) => {
  const race = run.progress.race;
  const [word, why] = verdict(run, race);
  show('verdict-word', word);
  show('verdict-why', why);
  field('verdict').dataset.verdict = race.verdict ?? 'open';
  const number = (state) => race.candidates.filter((c) => c.state === state).length;
  show('open', `${number('open')} open`);
  show('decided', `${number('accepted')} accepted, ${number('rejected')} rejected`);
  [...field('candidates').children].forEach((row, i) => {
    const candidate = race.candidates[i];
    const pairs = candidate.tally.pentanomial.reduce((a, b) => a + b, 0);
    const cell = (name, text) => put(row.querySelector(`[data-c="${name}"]`), text);
    cell('state', i === race.winner ? 'winner' : candidate.state);
    row.querySelector('[data-c="state"]').dataset.state = DECIDED[candidate.state];
    cell('pairs', count(pairs));
    cell('llr', signed(candidate.llr));
    cell('lower', signed(candidate.lower));
    cell('upper', signed(candidate.upper));
    cell('elo', pairs ? signed(candidate.corrected.elo, 1) : '–');
    cell('from', pairs ? signed(candidate.corrected.elo_low, 1) : '–');
    cell('to', pairs ? signed(candidate.corrected.elo_high, 1) : '–');
  });
  breakdown(run);
});
