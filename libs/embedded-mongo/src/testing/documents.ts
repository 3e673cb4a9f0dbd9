import { deserialize, serialize, type Document } from 'bson';
import { documentOf, field, type Val } from '../bson/value';

/** A plain object as this server sees it when the driver sent it. */
export const doc = (o: Document): Val => documentOf(Buffer.from(serialize(o, { ignoreUndefined: false })));

/** One value as this server sees it. */
export const val = (v: unknown): Val => field(doc({ v }), 'v')!;

/** A document as the driver would show it, numbers with their types. */
export const plain = (v: Val): Document =>
  deserialize(v.bytes.subarray(v.start, v.end), { promoteValues: true });

/** The same with Int32, Double and Long kept apart. */
export const typed = (v: Val): Document =>
  deserialize(v.bytes.subarray(v.start, v.end), { promoteValues: false, promoteLongs: false });

/** The code of the MongoError that `run` throws, or undefined. */
export function codeOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (e) {
    return (e as { code?: number }).code ?? -1;
  }
}
