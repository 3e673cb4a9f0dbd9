import { readFileSync } from 'node:fs';
import path from 'node:path';

/** @param mainFolder the folder of a package's `main.js` */
export function packageVersion(mainFolder: string): string {
  const text = readFileSync(path.join(mainFolder, '../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
