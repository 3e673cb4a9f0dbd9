import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { firstSteps, type FirstSteps } from './first-steps';
import { nodeVersionHint } from './node-versions';
import { Platform } from './platform';
import { readmeLines } from './readme-lines';
import { readLocalSettings } from './settings';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const slowAfterMs = 30_000;
const reported = new WeakSet<Error>();

/** Prints once why the platform does not start. */
function tell(error: Error): void {
  if (!reported.has(error)) process.stderr.write(`${error.message}\n`);
  reported.add(error);
}

/** A supervisor that waits 15 s for the exit should not have to kill any process. */
const stopsWithinMs = 12_000;
/** npm and the terminal both pass the same Ctrl-C on, so signals within this time count as one. */
const repeatedSignalMs = 500;

/**
 * Ends this process. Processes that are still running are then killed, as in a crash, which does not lose data either.
 */
function killEverything(reason: string): void {
  say(`${reason}: killing the remaining processes. All data is kept in the data folder.`);
  process.exit(1);
}

/** Stops the platform, even during startup, when this process receives a termination signal. */
function stopOnSignals(starting: Promise<Platform>, abort: AbortController): void {
  let stoppingSince: number | undefined;
  const stop = async () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > repeatedSignalMs) killEverything('Received a second signal');
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

/** A configured mail server may send the portal invitation anywhere, so only the local setup has first steps. */
async function stepsOf(platform: Platform): Promise<FirstSteps | undefined> {
  const { dataDir, environment } = platform.settings;
  if (environment['SMTP_URL'] !== undefined) return undefined;
  const examples = path.resolve(__dirname, '../../examples');
  return firstSteps(platform.credentials, { dataDir, examples }).catch((error: Error) => {
    say(`There is no sample receipt or portal user: ${error.message}`);
    return undefined;
  });
}

/** README's commands, if this platform has another address or data folder than README says. */
function commands({ baseUrl, settings }: Platform): string[] {
  const readme = readFileSync(path.resolve(__dirname, '../../../README.md'), 'utf8');
  const lines = readmeLines(readme, { baseUrl, dataDir: path.relative(process.cwd(), settings.dataDir) });
  return lines.length === 0
    ? []
    : ["\nREADME's commands for this platform:\n", ...lines.map((line) => `  ${line}`)];
}

function banner(platform: Platform, steps: FirstSteps | undefined, began: number): string {
  const { baseUrl, credentials, credentialsFile, name, settings } = platform;
  const relative = (file: string) => path.relative(process.cwd(), file) || '.';
  const kept = relative(path.join(settings.dataDir, 'first-steps.json'));
  const password = steps?.isNew ? `password ${steps.user.password}` : `password in ${kept}`;
  const hint = nodeVersionHint(process.versions.node);
  const shown = steps && [
    `A receipt     ${baseUrl}${steps.page}`,
    `Portal        ${baseUrl}/portal/ (${steps.user.email}, ${password})`,
  ];
  return [
    `\nReady after ${((Date.now() - began) / 1000).toFixed(1)} s.\n`,
    ...[
      `Interface     ${baseUrl}`,
      ...(shown ?? [`Portal        ${baseUrl}/portal/`]),
      `Operations    ${baseUrl}/operator/ (token ${credentials.operator.token})`,
      `Documentation ${baseUrl}/docs`,
      `... signed in ${baseUrl}/docs#token=${credentials.bearer.token}`,
      `Credentials   ${relative(credentialsFile)} (retailer "demo")`,
      `Logs          ${relative(path.join(settings.dataDir, 'logs'))}/<service>.log`,
      `Broker        exchange ${name}.events; its address is in the credentials`,
    ].map((line) => `  ${line}`),
    ...commands(platform),
    ...(hint === undefined ? [] : [`\n${hint}`]),
    '\nCtrl-C stops everything; the data is kept.',
  ].join('\n');
}

/** `npm start`: runs the platform on this machine until it is stopped. */
async function main(): Promise<void> {
  const began = Date.now();
  const { values } = parseArgs({ options: { yes: { type: 'boolean' } } });
  // Files in the data folder must be accessible only to their owner.
  process.umask(0o077);
  const settings = readLocalSettings(process.env, process.cwd());
  const abort = new AbortController();
  const slow = setTimeout(() => say('Still starting ...'), slowAfterMs);
  const starting = Platform.start({
    settings,
    restart: true,
    say,
    failing: tell,
    signal: abort.signal,
    assumeYes: values.yes === true || settings.environment['CI'] !== undefined,
  });
  stopOnSignals(starting, abort);
  const platform = await starting
    .catch((error: Error) => {
      if (abort.signal.aborted) return undefined;
      throw error;
    })
    .finally(() => clearTimeout(slow));
  // The platform was stopped during the start; the process exits without further action.
  if (platform === undefined) return;
  say(banner(platform, await stepsOf(platform), began));
}

main().catch((error: Error) => {
  tell(error);
  process.exit(1);
});
