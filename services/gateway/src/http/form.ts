import { malformedBody, ServiceError } from '@receipts/kernel';
import { parseQuery } from '../parameters/query-string';

/** The maximum size of a form that a person fills in. */
export const formBytesMax = 64 * 1024;
const fieldsMax = 200;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body of an HTML form: a string for each field, a list of strings for a repeated one.
 * @throws ServiceError 400 `malformed_body`.
 */
export function formValue(bytes: Uint8Array): Readonly<Record<string, string | readonly string[]>> {
  try {
    const fields = [...parseQuery(decoder.decode(bytes))];
    if (fields.length > fieldsMax) throw new Error('too many fields');
    return Object.fromEntries(
      fields.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    );
  } catch (cause) {
    throw new ServiceError(malformedBody, { description: 'the body is not a valid form', cause });
  }
}
