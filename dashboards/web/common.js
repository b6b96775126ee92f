// What every page needs: numbers as text, building of elements, the event stream, the theme.
// Text from runs and workers is hostile: it is only ever set as text, never as markup.

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
/** @type {Intl.DateTimeFormatOptions} */
const DAY = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' };
const STAMP = new Intl.DateTimeFormat(undefined, DAY);
const OLD_STAMP = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric' });

/** @typedef {number | null | undefined} Maybe A number; JSON has null for what is not finite. */

/** @param {Maybe} n */
export const count = (n) => (n == null ? '–' : WHOLE.format(n));
/** @param {Maybe} n */
export const short = (n) => (n == null ? '–' : SHORT.format(n));
/** @param {Maybe} n @param {number} [digits] */
export const fixed = (n, digits = 2) => (n == null ? '–' : n.toFixed(digits).replace('-', '−'));
/** With its sign, and a true minus. @param {Maybe} n @param {number} [digits] */
export const signed = (n, digits = 2) => {
  if (n == null) return '–';
  const text = Math.abs(n).toFixed(digits);
  return (Number(text) === 0 ? '±' : n > 0 ? '+' : '−') + text;
};
/** @param {number} part @param {number} whole */
export const percent = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : '–');
/** A parameter's value: as many digits as tell its steps apart. @param {Maybe} n @param {number} step */
export const inSteps = (n, step) => fixed(n, Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(step)))));
/** @param {number} ms */
export const stamp = (ms) => (Math.abs(Date.now() - ms) < 180 * 86400e3 ? STAMP : OLD_STAMP).format(new Date(ms));
/** @param {Maybe} s */
export const duration = (s) => {
  if (s == null) return '–';
  if (s < 60) return `${Math.ceil(s)} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
};

/** The element that is marked with this name. @param {string} name @returns {any} */
export const field = (name) => document.querySelector(`[data-f="${name}"]`);
/** Sets a text where it is not that already. @param {Element | null} node @param {string} text */
export const put = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };
/** @param {string} name @param {string} text */
export const show = (name, text) => put(field(name), text);
/** Shows a text, or hides its place if it is empty. @param {string} name @param {string} text */
export const showIf = (name, text) => { show(name, text); field(name).hidden = text === ''; };

/**
 * A new element; strings become text.
 * @param {string} tag @param {string} name its class @param {...(Node | string)} children
 */
export const el = (tag, name, ...children) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children);
  return node;
};

/** An area under the latest rates, from zero. @param {SVGElement} svg @returns {(value: number) => void} */
export const spark = (svg) => {
  /** @type {number[]} */
  const values = [];
  const [area, line] = ['polygon', 'polyline'].map((kind) => svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', kind)));
  return (value) => {
    // The first value makes a level line at once.
    values.push(...(values.length ? [value] : [value, value]));
    if (values.length > 120) values.shift();
    const top = Math.max(...values) || 1;
    const points = values.map((v, i) => `${(100 * i / Math.max(1, values.length - 1)).toFixed(1)},${(24 - 18 * v / top).toFixed(1)}`).join(' ');
    line.setAttribute('points', points);
    area.setAttribute('points', `0,24 ${points} 100,24`);
  };
};

/**
 * Places the marker between the bounds.
 * @param {Element} gauge @param {{llr: Maybe, lower: number, upper: number}} test
 */
export const setGauge = (gauge, { llr, lower, upper }) => {
  const at = (v) => 100 * Math.min(1, Math.max(0, (v - lower) / (upper - lower)));
  const [zero, fill, dot] = /** @type {HTMLElement[]} */ ([...gauge.querySelectorAll('i')]);
  const here = at(llr ?? 0);
  zero.style.left = `${at(0)}%`;
  dot.style.left = `${here}%`;
  fill.style.left = `${Math.min(here, at(0))}%`;
  fill.style.width = `${Math.abs(here - at(0))}%`;
  gauge.classList.toggle('down', (llr ?? 0) < 0);
};

/** What the coordinator answers as JSON; an error of its own words if it refuses. @param {string} url */
export const getJson = async (url) => {
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  const told = await answer.json().catch(() => ({ error: `the coordinator answers ${answer.status}` }));
  if (!answer.ok) throw new Error(told.error);
  return told;
};

/** The address of this page with other words behind its `?`; empty ones go. @param {Record<string, string>} words */
export const inAddress = (words) => {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(words)) {
    if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
  }
  history.replaceState(null, '', url);
};
/** A word behind the `?` of this page. @param {string} name */
export const fromAddress = (name) => new URL(location.href).searchParams.get(name) ?? '';

/** Acts once things have been quiet for a moment. @param {() => void} act @param {number} [ms] */
export const soon = (act, ms = 250) => {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(act, ms); };
};

/**
 * Lines of a table as a file to keep.
 * @param {string} name without its ending @param {'csv' | 'json'} form
 * @param {string[]} head @param {any[][]} lines numbers as they are, not as they are shown
 */
export const download = (name, form, head, lines) => {
  const quoted = (cell) => {
    const text = cell == null ? '' : String(cell);
    // A spreadsheet takes a name that begins so for a formula.
    const safe = typeof cell === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const text = form === 'csv'
    ? [head, ...lines].map((line) => line.map(quoted).join(',')).join('\r\n')
    : JSON.stringify(lines.map((line) => Object.fromEntries(head.map((title, i) => [title, line[i]]))));
  const address = URL.createObjectURL(new Blob([text], { type: form === 'csv' ? 'text/csv' : 'application/json' }));
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = `${name}.${form}`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

/** Buttons that give lines of a table as files. @param {string} name @param {() => {head: string[], lines: any[][]}} rows */
export const downloads = (name, rows) => {
  const button = (/** @type {'csv' | 'json'} */ form) => {
    const node = /** @type {HTMLButtonElement} */ (el('button', 'button', form.toUpperCase()));
    node.type = 'button';
    node.setAttribute('aria-label', `Download ${name} as ${form.toUpperCase()}`);
    node.addEventListener('click', () => { const { head, lines } = rows(); download(name, form, head, lines); });
    return node;
  };
  return el('p', 'downloads', button('csv'), button('json'));
};

/** A link. @param {string} href @param {string} text */
export const anchor = (href, text) => { const node = el('a', '', text); node.setAttribute('href', href); return node; };

/**
 * A row of a table: the first cell is its heading; numbers stand right.
 * @param {(Node | string | {n: string} | {wide: Node | string})[]} cells
 */
export const row = (...cells) => {
  const node = el('tr', '');
  cells.forEach((cell, i) => {
    const plain = cell instanceof Node || typeof cell === 'string';
    const [name, inner] = plain ? ['', cell] : 'n' in cell ? ['n', cell.n] : ['wide', cell.wide];
    const box = el(i ? 'td' : 'th', name, inner);
    if (!i) box.setAttribute('scope', 'row');
    node.append(box);
  });
  return node;
};
/** Rows in place of those of before, or one that says why there are none. @param {HTMLElement} body @param {Node[]} rows @param {string} none */
export const fillRows = (body, rows, none) => {
  const empty = el('td', 'empty', none);
  empty.setAttribute('colspan', String(body.closest('table')?.querySelectorAll('thead th').length ?? 1));
  body.replaceChildren(...(rows.length ? rows : [el('tr', '', empty)]));
};

/** How far the results of a worker lie from those of others, in Elo, with the evidence. @param {any} suspicion */
export const residual = (suspicion) => (suspicion
  ? `${signed(suspicion.bias, 0)} ± ${fixed(suspicion.margin, 0)}, 10^${fixed(suspicion.log10_e, 1)} to 1` : '–');

/** @param {'wait' | 'live' | 'lost'} state @param {string} text */
const link = (state, text) => { field('link').dataset.link = state; show('link', text); };

/**
 * Follows an event stream for as long as the page is seen. A hidden page lets go of it, because a
 * browser opens only six connections to one host. Gives back what takes another stream in its place.
 * @param {string} url
 * @param {(data: any) => void} onSnapshot takes the place of everything before
 * @param {(data: any) => void} onUpdate
 */
export const follow = (url, onSnapshot, onUpdate) => {
  /** @type {EventSource | null} */
  let stream = null;
  let wait = 1000;
  field('link').hidden = false;
  const close = () => { stream?.close(); stream = null; };
  const open = () => {
    if (document.hidden || stream) return;
    const mine = stream = new EventSource(url);
    mine.addEventListener('snapshot', (event) => {
      wait = 1000;
      link('live', 'Live');
      onSnapshot(JSON.parse(event.data));
    });
    mine.addEventListener('update', (event) => onUpdate(JSON.parse(event.data)));
    mine.onerror = () => {
      link('lost', 'Connection lost, retrying');
      // A stream that was refused does not come back by itself.
      if (mine.readyState !== EventSource.CLOSED || stream !== mine) return;
      close();
      setTimeout(open, wait);
      wait = Math.min(2 * wait, 30000);
    };
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  open();
  /** Follows another stream from now on. @param {string} other */
  return (other) => { url = other; close(); open(); };
};

/** @type {(() => void)[]} */
const onTheme = [];
/** Calls back when the colours change. @param {() => void} act */
export const whenThemeChanges = (act) => { onTheme.push(act); };

const system = matchMedia('(prefers-color-scheme: dark)');
system.addEventListener('change', () => onTheme.forEach((act) => act()));
field('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  try { localStorage.setItem('elomill-theme', root.dataset.theme); } catch { /* lasts for this page */ }
  onTheme.forEach((act) => act());
});
for (const place of document.querySelectorAll('.places a')) {
  if (place.getAttribute('href') === location.pathname) place.setAttribute('aria-current', 'page');
}
for (const time of document.querySelectorAll('time')) put(time, stamp(Number(time.dataset.ms)));
