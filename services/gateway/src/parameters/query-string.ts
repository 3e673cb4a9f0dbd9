import { ServiceError } from '@receipts/kernel';
import { badEncoding } from '../errors';

/** Decoded values by decoded name, in the order in which they were sent. */
export type QueryArguments = ReadonlyMap<string, readonly string[]>;

const none: QueryArguments = new Map();

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  let decoded: string;
  try {
    // decodeURIComponent rejects a stray percent sign and bytes that are not UTF-8, including overlong forms and
    // surrogates.
    decoded = decodeURIComponent(spaced);
  } catch (cause) {
    throw new ServiceError(badEncoding, { cause });
  }
  if (decoded.includes('\0'))
    throw new ServiceError(badEncoding, { description: 'the query contains a NUL' });
  return decoded;
}

/**
 * Parses a query string: pairs separated by `&`, name and value by the first `=`, `+` for a space. Brackets in names have
 * no special meaning.
 * @throws ServiceError 400 `invalid_parameter` for bad percent-encoding.
 */
export function parseQuery(text: string): QueryArguments {
  if (text === '') return none;
  const found = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const values = found.get(name);
    if (values) values.push(value);
    else found.set(name, [value]);
  }
  return found;
}
