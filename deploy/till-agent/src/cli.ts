#!/usr/bin/env node
import './save-memory';
import { mkdir } from 'node:fs/promises';
import { startAgent } from './agent';
import { lockFolder } from './folder-lock';
import { helpText } from './help';
import { readVersion } from './read-version';
import { resend } from './resend';
import { dataFolder, readCommandLine, readSettings, SettingError, type CommandLine } from './settings';

const say = (text: string) => void process.stdout.write(text);
const log = (line: string) => void process.stderr.write(`${line}\n`);

async function run(line: CommandLine): Promise<void> {
  const settings = readSettings(line, process.env);
  await mkdir(settings.data, { recursive: true, mode: 0o700 });
  await lockFolder(settings.data);
  const agent = await startAgent(settings, log);
  log(
    `accepts slips on port ${agent.rawPort}; status at http://127.0.0.1:${agent.httpPort}/; data in ${settings.data}`,
  );
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await agent.stop();
}

async function main(): Promise<void> {
  const line = readCommandLine(process.argv.slice(2), process.env);
  switch (line.command) {
    case 'help':
      return say(helpText());
    case 'version':
      return say(`${await readVersion()}\n`);
    case 'resend': {
      const names = await resend(dataFolder(line, process.env), line.names);
      return say(names.length === 0 ? 'No such slips were found.\n' : `${names.join('\n')}\n`);
    }
    case 'run':
      return run(line);
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    log(error instanceof SettingError ? `${error.message} See --help.` : error.message);
    process.exit(error instanceof SettingError ? 2 : 1);
  },
);
