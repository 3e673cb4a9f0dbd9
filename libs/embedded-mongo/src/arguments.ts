import { readFileSync } from 'node:fs';
import type { Credentials } from './commands/scram';
import type { EmbeddedMongoOptions } from './server';

export const USAGE =
  'usage: node main.js --path DIR [--host 127.0.0.1] [--port N] [--sweep-every-ms N] [--user NAME --password-file FILE]';

const KNOWN = ['--path', '--host', '--port', '--sweep-every-ms', '--user', '--password-file'];

/**
 * The process's arguments, and the password of EMBEDDED_MONGO_PASSWORD when no file is named: arguments can be seen by
 * everybody on the machine. Throws an error that names the one that is wrong.
 */
export function parseArguments(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): EmbeddedMongoOptions {
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i]!;
    const value = args[i + 1];
    if (!KNOWN.includes(name)) throw new Error(`unknown argument ${name}`);
    if (value === undefined || value === '') throw new Error(`${name} needs a value`);
    if (values.has(name)) throw new Error(`${name} is given twice`);
    values.set(name, value);
  }
  const path = values.get('--path');
  if (path === undefined) throw new Error('--path is missing');
  return {
    path,
    credentials: credentialsOf(values, environment.EMBEDDED_MONGO_PASSWORD),
    host: values.get('--host') ?? '127.0.0.1',
    port: wholeNumber('--port', values.get('--port') ?? '0', 0, 65_535),
    sweepEveryMs: wholeNumber('--sweep-every-ms', values.get('--sweep-every-ms') ?? '60000', 10, 2 ** 31 - 1),
  };
}

function credentialsOf(
  values: ReadonlyMap<string, string>,
  fromEnvironment: string | undefined,
): Credentials | undefined {
  const user = values.get('--user');
  const file = values.get('--password-file');
  const password = file === undefined ? fromEnvironment : readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (user === undefined && file === undefined && !password) return undefined;
  if (user === undefined) throw new Error('--user is missing: there is a password');
  if (!password) throw new Error('--password-file is missing, or the file is empty: there is a --user');
  return { user, password };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const n = Number(text);
  if (!/^\d{1,10}$/.test(text) || n < least || n > most) {
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not ${text}`);
  }
  return n;
}
