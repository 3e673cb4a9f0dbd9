import { existsSync } from 'node:fs';
import path from 'node:path';
import { move, namesIn } from './disk';

/**
 * Sends rejected jobs again. A running agent finds them within a second; otherwise, they are found on the next start.
 * @param names file names of jobs; all jobs if empty
 * @returns the names of jobs that were found
 */
export async function resend(folder: string, names: readonly string[]): Promise<string[]> {
  const refused = path.join(folder, 'refused');
  if (!existsSync(refused)) return [];
  const all = (await namesIn(refused)).filter((name) => name.endsWith('.job'));
  const wanted = names.map((name) => path.basename(name));
  const chosen = wanted.length === 0 ? all : all.filter((name) => wanted.includes(name));
  const moved: string[] = [];
  for (const name of chosen) {
    if (await move(path.join(refused, name), path.join(folder, 'resend', name))) moved.push(name);
  }
  return moved;
}
