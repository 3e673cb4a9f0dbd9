import { MongoError } from '../errors';
import { positionOf } from './tree';

/** Throws code 40 if two changes affect the same path, or if one path is within the other. */
export function checkConflicts(paths: readonly (readonly string[])[]): void {
  interface Step {
    readonly children: Map<string, Step>;
    ends: boolean;
  }
  const root: Step = { children: new Map(), ends: false };
  for (const names of paths) {
    let at = root;
    names.forEach((name, i) => {
      if (at.ends) throw conflict(names, i);
      let next = at.children.get(name);
      if (next === undefined) {
        next = { children: new Map(), ends: false };
        at.children.set(name, next);
      }
      at = next;
    });
    if (at.ends || at.children.size > 0) throw conflict(names, names.length);
    at.ends = true;
  }
}

const conflict = (names: readonly string[], length: number): MongoError =>
  new MongoError(
    40,
    `Updating the path '${names.join('.')}' would create a conflict at '${names.slice(0, length).join('.')}'`,
  );

/** The order in which MongoDB adds new fields: by name, array indexes by number. */
export function compareUpdatePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = positionOf(a[i]!);
    const y = positionOf(b[i]!);
    const order = x >= 0 && y >= 0 ? x - y : a[i]! < b[i]! ? -1 : a[i]! > b[i]! ? 1 : 0;
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
