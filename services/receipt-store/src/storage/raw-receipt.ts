import { BSON } from 'mongodb';

const { parseToElements, NumberUtils } = BSON.onDemand;
/** The BSON types of the fields in these projections. */
const types = { double: 1, string: 2, date: 9, null: 10, int: 16, long: 18 } as const;
const lengthBytes = 4;

/** A receipt whose text is the stored JSON in UTF-8: most readers only pass it on. */
export type WithTextBytes<T> = { readonly [K in keyof T]: K extends 'text' ? Buffer : T[K] };

/**
 * Reads a document that was found with `raw: true`, whose fields are texts, numbers and times. Only `text` is not
 * decoded: it is a part of the given bytes.
 * @throws Error if a field has another type
 */
export function readRaw<T>(raw: Uint8Array): WithTextBytes<T> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const fields: Record<string, unknown> = {};
  for (const [type, nameOffset, nameLength, offset, length] of parseToElements(bytes)) {
    const name = bytes.toString('latin1', nameOffset, nameOffset + nameLength);
    fields[name] =
      name === 'text' && type === types.string
        ? bytes.subarray(offset + lengthBytes, offset + length - 1)
        : valueOf(bytes, type, offset, length);
  }
  return fields as WithTextBytes<T>;
}

function valueOf(bytes: Buffer, type: number, offset: number, length: number): unknown {
  switch (type) {
    case types.string:
      return bytes.toString('utf8', offset + lengthBytes, offset + length - 1);
    case types.null:
      return null;
    case types.int:
      return NumberUtils.getInt32LE(bytes, offset);
    case types.double:
      return NumberUtils.getFloat64LE(bytes, offset);
    case types.long:
      return Number(NumberUtils.getBigInt64LE(bytes, offset));
    case types.date:
      return new Date(Number(NumberUtils.getBigInt64LE(bytes, offset)));
    default:
      throw new Error(`a field of a receipt has the unsupported BSON type ${type}`);
  }
}
