import path from 'node:path';
import { parseArgs } from 'node:util';
import { Platform } from './platform';
import { readLocalSettings } from './settings';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const told = new WeakSet<Error>();

/** Says once why the platform does not start. */
function tell(error: Error): void {
  if (!told.has(error)) process.stderr.write(`${error.message}\n`);
  told.add(error);
}

/** A supervisor that waits 15 s for the end must not have to kill anything. */
const stopsWithinMs = 12_000;
/** npm and the terminal both pass the same Ctrl-C on, so signals within this time count as one. */
const repeatedSignalMs = 500;

/** Ends this process. What is still running then is killed, as in a crash, which loses no data either. */
function killEverything(reason: string): void {
  say(`${reason}: the processes that are left are killed. All data is kept in the data folder.`);
  process.exit(1);
}

/** Stops the platform, also while it starts, when this process gets one of the signals that end a process. */
function stopOnSignals(starting: Promise<Platform>, abort: AbortController): void {
  let stoppingSince: number | undefined;
  const stop = async () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > repeatedSignalMs) killEverything('A second signal came');
      return;
    }
    stoppingSince = performance.now();
    say('\nStopping ...');
    setTimeout(() => killEverything(`Not stopped within ${stopsWithinMs / 1000} s`), stopsWithinMs);
    abort.abort();
    await (await starting.catch(() => undefined))?.stop();
    say('Stopped. All data is kept in the data folder.');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
}

/** `npm start`: runs the platform on this machine until it is told to stop. */
async function main(): Promise<void> {
  const began = Date.now();
  const { values } = parseArgs({ options: { yes: { type: 'boolean' } } });
  // Files in the data folder must be accessible only to their owner.
  process.umask(0o077);
  const settings = readLocalSettings(process.env, process.cwd());
  const abort = new AbortController();
  const starting = Platform.start({
    ...{ settings, restart: true, say, failing: tell, signal: abort.signal },
    assumeYes: values.yes === true || settings.environment['CI'] !== undefined,
  });
  stopOnSignals(starting, abort);
  const platform = await starting.catch((error: Error) => {
    if (abort.signal.aborted) return undefined;
    throw error;
  });
  // It was stopped during the start; the process ends by itself.
  if (platform === undefined) return;
  const relative = (file: string) => path.relative(process.cwd(), file) || '.';
  say(`
Ready after ${((Date.now() - began) / 1000).toFixed(1)} s.

  Interface     ${platform.baseUrl}
  Documentation ${platform.baseUrl}/docs
  ... signed in ${platform.baseUrl}/docs#token=${platform.credentials.bearer.token}
  Credentials   ${relative(platform.credentialsFile)} (retailer "demo")
  Logs          ${relative(path.join(settings.dataDir, 'logs'))}/<service>.log
  Broker        exchange ${platform.name}.events; its address is in the credentials

Ctrl-C stops everything; the data stays.`);
}

main().catch((error: Error) => {
  tell(error);
  process.exit(1);
});
