// Takes the pictures of the README from a running coordinator, with an installed Chromium.
//
//   node dashboards/web/tools/shoot.mjs URL OUT.png [light|dark] [WIDTHxHEIGHT] [CHROMIUM]
//   node dashboards/web/tools/shoot.mjs http://127.0.0.1:8080/runs/1 docs/pictures/tune.png dark 1440x1000
//
// It speaks the DevTools protocol over the browser's pipe, because an event stream never ends: only
// the page itself can say that its numbers have come.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const [url, out, theme = 'light', size = '1440x1000', chromium = 'chromium'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
if (!url || !out || !/^(light|dark)$/.test(theme) || !(width > 0 && height > 0)) {
  console.error('usage: shoot.mjs URL OUT.png [light|dark] [WIDTHxHEIGHT] [CHROMIUM]');
  process.exit(2);
}
const LIVE = `new Promise((done) => {
  const look = () => (document.querySelector('[data-link=live]') ? setTimeout(done, 5000, 'live') : setTimeout(look, 50));
  setTimeout(done, 20000, 'never live');
  look();
})`;
const profile = mkdtempSync(join(tmpdir(), 'elomill-shoot-'));
const browser = spawn(chromium, [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  `--user-data-dir=${profile}`, '--remote-debugging-pipe',
], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const gone = new Promise((done) => { browser.once('exit', done); browser.once('error', done); });

// A browser that could not start is told by `gone`; its broken pipe adds nothing.
browser.stdio[3].on('error', () => {});

const waiting = new Map();
let text = '';
browser.stdio[4].setEncoding('utf8').on('data', (part) => {
  const messages = (text + part).split('\0');
  text = messages.pop();
  for (const { id, result, error } of messages.map((message) => JSON.parse(message))) {
    waiting.get(id)?.[error ? 'fail' : 'done'](error ? new Error(error.message) : result);
  }
});
let sessionId;
const call = (method, params = {}) => new Promise((done, fail) => {
  const id = waiting.size + 1;
  waiting.set(id, { done, fail });
  gone.then((why) => fail(new Error(`${chromium} ended: ${why}`)));
  browser.stdio[3].write(`${JSON.stringify({ id, sessionId, method, params })}\0`);
});

try {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  ({ sessionId } = await call('Target.attachToTarget', { targetId, flatten: true }));
  await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1.5, mobile: false });
  await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
  await call('Page.enable');
  const { errorText } = await call('Page.navigate', { url });
  if (errorText) throw new Error(`${url}: ${errorText}`);
  const { result } = await call('Runtime.evaluate', { expression: LIVE, awaitPromise: true });
  if (result.value !== 'live') throw new Error(`${url}: ${result.value ?? 'the page went away'}`);
  const { data } = await call('Page.captureScreenshot', { format: 'png' });
  mkdirSync(dirname(resolve(out)), { recursive: true });
  writeFileSync(out, Buffer.from(data, 'base64'));
  console.log(`${out}: ${width}x${height}, ${theme}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  browser.kill();
  await gone;
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
