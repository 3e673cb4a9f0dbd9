import { MongoError, badValue } from '../errors';
import { nullValue } from '../bson/make';
import { print } from '../bson/print';
import { ArrayTree, ObjectTree, opened, positionOf, toVal, type Tree } from './tree';

const arrayPaddingMax = 1_500_000;

/** A field or array element that an operator changes. */
export interface Place {
  get(): Tree | undefined;
  set(value: Tree): void;
  remove(): void;
}

/**
 * Finds the place at a path. With `create`, set() creates missing documents on the path; without, a missing path yields
 * undefined. Throws code 28 if a field cannot exist there.
 */
export function placeAt(root: ObjectTree, names: readonly string[], create: boolean): Place | undefined {
  let at: Tree = root;
  for (let i = 0; i < names.length - 1; i++) {
    const child: Tree | undefined = childOf(at, names[i]!, names, i, create);
    if (child === undefined) return create ? missingPlace(at, names, i) : undefined;
    const o = opened(child);
    if (o !== child) setChild(at, names[i]!, o);
    at = o;
  }
  const last = names.at(-1)!;
  if (!(at instanceof ObjectTree) && !(at instanceof ArrayTree)) {
    if (create) throw notViable(names, names.length - 1, at);
    return undefined;
  }
  if (at instanceof ArrayTree && positionOf(last) < 0) {
    if (create) throw notViable(names, names.length - 1, at);
    return undefined;
  }
  const parent = at;
  return {
    get: () => (parent instanceof ObjectTree ? parent.fields.get(last) : parent.items[positionOf(last)]),
    set: (value) => setChild(parent, last, value),
    remove: () => {
      if (parent instanceof ObjectTree) parent.fields.delete(last);
      else if (positionOf(last) < parent.items.length) parent.items[positionOf(last)] = nullValue;
    },
  };
}

function childOf(
  at: Tree,
  name: string,
  names: readonly string[],
  i: number,
  create: boolean,
): Tree | undefined {
  if (at instanceof ObjectTree) return at.fields.get(name);
  if (at instanceof ArrayTree && positionOf(name) >= 0) return at.items[positionOf(name)];
  if (create) throw notViable(names, i, at);
  return undefined;
}

/** A place of which everything from names[i] on is missing in `at`. */
function missingPlace(at: Tree, names: readonly string[], i: number): Place {
  return {
    get: () => undefined,
    set: (value) => {
      let inner = value;
      for (let j = names.length - 1; j > i; j--) {
        const o = new ObjectTree();
        o.fields.set(names[j]!, inner);
        inner = o;
      }
      setChild(at, names[i]!, inner);
    },
    remove: () => undefined,
  };
}

function setChild(at: Tree, name: string, value: Tree): void {
  if (at instanceof ObjectTree) {
    at.fields.set(name, value);
    return;
  }
  const { items } = at as ArrayTree;
  const position = positionOf(name);
  if (position - items.length > arrayPaddingMax)
    throw badValue('cannot add padding to the array: index is too large');
  while (items.length < position) items.push(nullValue);
  items[position] = value;
}

function notViable(names: readonly string[], i: number, at: Tree): MongoError {
  const holder = i === 0 ? '' : names[i - 1]!;
  return new MongoError(28, `Cannot create field '${names[i]!}' in element {${holder}: ${print(toVal(at))}}`);
}
