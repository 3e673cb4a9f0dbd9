import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The version of this package. */
export async function readVersion(): Promise<string> {
  const text = await readFile(path.join(__dirname, '../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
