// Preloaded into a service (NODE_OPTIONS=--require). Appends a line to a file in the folder LONG_TURNS for each long turn
// of the event loop: when it ended, and its processor time in milliseconds, which does not depend on how busy the machine
// is.
const fs = require('node:fs');
const path = require('node:path');

const longMs = 20;
const sampleMs = 1;
const thread = `/proc/self/task/${process.pid}/schedstat`;
const file = path.join(process.env.LONG_TURNS, String(process.pid));

/** The processor time of the main thread, or, where this is not known, of the process. */
function cpuMs() {
  if (fs.existsSync(thread)) return Number(fs.readFileSync(thread, 'latin1').split(' ', 1)[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

fs.appendFileSync(file, '');
let last = cpuMs();
setInterval(() => {
  const now = cpuMs();
  if (now - last >= longMs) fs.appendFileSync(file, `${Date.now()} ${now - last}\n`);
  last = cpuMs();
}, sampleMs).unref();
