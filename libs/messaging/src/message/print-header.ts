import type { RequestHeader } from './envelope';

/** Printed forms of objects that many requests share: a caller's principal and settings, arguments that are empty. */
const printed = new WeakMap<object, string>();

function printOnce(value: object): string {
  let text = printed.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    printed.set(value, text);
  }
  return text;
}

/** JSON of a record of which the inner objects never change. */
function printShallow(record: object): string {
  let text = '';
  // No entries: this runs for every request, and their arrays would be a good part of its garbage.
  for (const name in record) {
    const value = (record as Record<string, unknown>)[name];
    if (value === undefined) continue;
    const member = typeof value === 'object' && value !== null ? printOnce(value) : JSON.stringify(value);
    text += `${text === '' ? '{' : ','}"${name}":${member}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** JSON of a header. It is printed for every request, and all but a few of its members were printed before. */
export function printHeader({ id, type, args, call, n }: RequestHeader): string {
  return `{"id":${id},"type":"${type}","args":${printShallow(args)},"call":${printShallow(call)},"n":${n}}`;
}
