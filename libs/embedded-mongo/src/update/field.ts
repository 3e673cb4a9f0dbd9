import { MongoError, badValue } from '../errors';
import { print } from '../bson/print';
import { ArrayTree, ObjectTree, opened, positionOf, toVal, type Tree } from './tree';

/** A field that an operator changes. */
export interface Field {
  get(): Tree | undefined;
  set(value: Tree): void;
  remove(): void;
}

/**
 * Finds the field at a path. With `create`, missing documents on the path are created; otherwise a missing path yields
 * undefined. Throws code 28 if there can be no such field, and code 2 for an element of an array.
 */
export function fieldAt(root: ObjectTree, names: readonly string[], create: boolean): Field | undefined {
  let { fields } = root;
  for (let i = 0; i < names.length - 1; i++) {
    const name = names[i]!;
    const child = fields.get(name) ?? (create ? new ObjectTree() : undefined);
    if (child === undefined) return undefined;
    const inner = opened(child);
    if (!(inner instanceof ObjectTree)) {
      if (inner instanceof ArrayTree && positionOf(names[i + 1]!) >= 0)
        throw badValue(`this server does not support array positions in updates, found '${names.join('.')}'`);
      if (!create) return undefined;
      const holder = `{${name}: ${print(toVal(inner))}}`;
      throw new MongoError(28, `Cannot create field '${names[i + 1]!}' in element ${holder}`);
    }
    fields.set(name, inner);
    ({ fields } = inner);
  }
  const last = names.at(-1)!;
  return {
    get: () => fields.get(last),
    set: (value) => void fields.set(last, value),
    remove: () => void fields.delete(last),
  };
}
