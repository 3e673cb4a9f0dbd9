import type { RawReply } from '@receipts/messaging';
import { indentJson } from './indent-json';

export type QueryMembers = Readonly<Record<string, unknown>>;

/** The members that request the next part; undefined after the last part. */
export type NextPart = (meta: unknown) => QueryMembers | undefined;

/**
 * The body of a reply that is too large for one message. Each part is requested once the caller has read the previous
 * one.
 */
export async function* replyParts(
  first: RawReply,
  nextPart: NextPart,
  ask: (query: QueryMembers) => Promise<RawReply>,
): AsyncGenerator<Buffer> {
  yield first.body;
  for (let query = nextPart(first.meta); query !== undefined;) {
    const reply = await ask(query);
    yield reply.body;
    query = nextPart(reply.meta);
  }
}

/** Joins JSON arrays into one. */
export async function* joinedArrays(arrays: AsyncIterable<Buffer>, pretty: boolean): AsyncGenerator<string> {
  let before = '[';
  for await (const array of arrays) {
    const json = (pretty ? indentJson(array) : array).toString().trim();
    const members = json.slice(1, -1).trimEnd();
    if (members === '') continue;
    yield before + members;
    before = ',';
  }
  const end = pretty ? '\n]\n' : ']';
  yield before === '[' ? `[${end.trimStart()}` : end;
}
