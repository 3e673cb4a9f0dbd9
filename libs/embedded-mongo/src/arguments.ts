import type { EmbeddedMongoOptions } from './server';

export const USAGE = 'usage: node main.js --path DIR [--host 127.0.0.1] [--port N] [--sweep-every-ms N]';

/** The process's arguments. Throws an error that names the one that is wrong. */
export function parseArguments(args: readonly string[]): EmbeddedMongoOptions {
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i]!;
    const value = args[i + 1];
    if (!['--path', '--host', '--port', '--sweep-every-ms'].includes(name))
      throw new Error(`unknown argument ${name}`);
    if (value === undefined || value === '') throw new Error(`${name} needs a value`);
    if (values.has(name)) throw new Error(`${name} is given twice`);
    values.set(name, value);
  }
  const path = values.get('--path');
  if (path === undefined) throw new Error('--path is missing');
  return {
    path,
    host: values.get('--host') ?? '127.0.0.1',
    port: wholeNumber('--port', values.get('--port') ?? '0', 0, 65_535),
    sweepEveryMs: wholeNumber('--sweep-every-ms', values.get('--sweep-every-ms') ?? '60000', 10, 2 ** 31 - 1),
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const n = Number(text);
  if (!/^\d{1,10}$/.test(text) || n < least || n > most) {
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not ${text}`);
  }
  return n;
}
