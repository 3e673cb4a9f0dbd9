import { deserialize, serialize, type Document } from 'bson';
import { documentOf, field, type BsonValue } from '../bson/value';

/** A plain object as encoded by the driver. */
export const doc = (o: Document): BsonValue =>
  documentOf(Buffer.from(serialize(o, { ignoreUndefined: false })));

/** A single value as encoded by the driver. */
export const val = (v: unknown): BsonValue => field(doc({ v }), 'v')!;

/** A document as decoded by the driver by default. */
export const plain = (v: BsonValue): Document =>
  deserialize(v.bytes.subarray(v.start, v.end), { promoteValues: true });

/** A document decoded with separate Int32, Double and Long. */
export const typed = (v: BsonValue): Document =>
  deserialize(v.bytes.subarray(v.start, v.end), { promoteValues: false, promoteLongs: false });

/** The code of the error that `run` throws; -1 if it has no code, undefined if `run` does not throw. */
export function codeOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { code?: number }).code ?? -1;
  }
}
