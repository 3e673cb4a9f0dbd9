import path from 'node:path';
import { Platform } from './platform';
import { readLocalSettings } from './settings';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const told = new WeakSet<Error>();

/** Says once why the platform does not start. */
function tell(error: Error): void {
  if (!told.has(error)) process.stderr.write(`${error.message}\n`);
  told.add(error);
}

/** `npm start`: runs the platform on this machine until Ctrl-C. */
async function main(): Promise<void> {
  const began = Date.now();
  // Files in the data folder must be accessible only to their owner.
  process.umask(0o077);
  const settings = readLocalSettings(process.env, process.cwd());
  const starting = Platform.start({ settings, restart: true, say, failing: tell });
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    say('\nStopping ...');
    await (await starting.catch(() => undefined))?.stop();
    say('Stopped. All data is kept in the data folder.');
    process.exit(0);
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());
  const platform = await starting;
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
