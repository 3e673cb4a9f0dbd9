import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Credentials } from './commands/scram';
import type { EmbeddedMongoOptions } from './server';

export const usage =
  'usage: node main.js --path DIR [--host 127.0.0.1] [--port N] [--sweep-every-ms N] [--user NAME --password-file FILE] [--reads-backwards]';

const text = { type: 'string' } as const;
const options = {
  path: text,
  host: text,
  port: text,
  'sweep-every-ms': text,
  user: text,
  'password-file': text,
  'reads-backwards': { type: 'boolean' },
} as const;
type Values = { readonly [Name in Exclude<keyof typeof options, 'reads-backwards'>]?: string };

/**
 * Parses the command line. Without --password-file, the password comes from EMBEDDED_MONGO_PASSWORD, because every user
 * of the machine can see a process's arguments. Throws an error with the name of the wrong argument.
 */
export function parseArguments(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): EmbeddedMongoOptions {
  const { values, tokens } = parseArgs({ args: [...args], options, tokens: true });
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (token.value === '') throw new Error(`--${token.name} needs a value`);
    if (given.has(token.name)) throw new Error(`--${token.name} is given twice`);
    given.add(token.name);
  }
  const { path } = values;
  if (path === undefined) throw new Error('--path is missing');
  return {
    path,
    credentials: credentialsOf(values, environment.EMBEDDED_MONGO_PASSWORD),
    host: values.host ?? '127.0.0.1',
    port: wholeNumber('--port', values.port ?? '0', 0, 65_535),
    readsBackwards: values['reads-backwards'] === true,
    sweepEveryMs: wholeNumber('--sweep-every-ms', values['sweep-every-ms'] ?? '60000', 10, 2 ** 31 - 1),
  };
}

function credentialsOf(
  { user, 'password-file': file }: Values,
  fromEnvironment: string | undefined,
): Credentials | undefined {
  const password = file === undefined ? fromEnvironment : readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (user === undefined && file === undefined && !password) return undefined;
  if (user === undefined) throw new Error('--user is required with a password');
  if (!password) throw new Error('--password-file is required with --user, and must not be empty');
  return { user, password };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const n = Number(text);
  if (!/^\d{1,10}$/.test(text) || n < least || n > most) {
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not ${text}`);
  }
  return n;
}
