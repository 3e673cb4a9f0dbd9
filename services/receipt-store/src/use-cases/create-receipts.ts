import {
  createReceipt,
  errorPage,
  type BatchResult,
  type PostedReceipt,
  type ReceiptLinks,
  type createReceipts as contract,
} from '@receipts/contracts';
import { fillMessages } from '@receipts/concurrency';
import {
  bodyTooLarge,
  derivedId,
  jsonReader,
  ServiceError,
  tooLarge,
  type Call,
  type Handler,
} from '@receipts/kernel';
import type { ServiceDependencies } from './create-dependencies';
import { answeredLinks } from './answered-links';
import type { Dependencies } from './dependencies';
import { readBatch } from './read-batch';
import { storeInOrder } from './store-in-order';
import { expected, postedSubmission, type StoreOutcome, type Submission } from './submission';

type CreateReceiptsDependencies = Dependencies & Pick<ServiceDependencies, 'receiptBytesMax' | 'log'>;

/** The maximum number of receipts that are in memory as objects at a time, and of the bytes of their texts. */
const partLimits = { itemsMax: 256, bytesMax: 1024 * 1024 };
/**
 * The maximum number of errors in a response; each rejected receipt has at least one. It keeps responses below a few
 * megabytes.
 */
const listedErrorsMax = 20_000;

/** Temporary: a retry may have a different outcome. */
const isTemporary = ({ status }: BatchResult) => status >= 500 || status === 429;

/** Stores the receipts of a batch. Each gets the result that it would have had individually. */
export function createReceipts(deps: CreateReceiptsDependencies): Handler<typeof contract> {
  const read = receiptReader(deps.receiptBytesMax);
  const basePath = new URL(deps.publicUrl).pathname.replace(/\/$/, '');
  return async ({ body, contentType }, call) => {
    const texts = await readBatch(body, contentType);
    const outcomes: StoreOutcome[] = [];
    for (const part of fillMessages(texts, partLimits, ({ length }) => length)) {
      const from = outcomes.length;
      const posted = await Promise.all(part.map((text) => expected(read(text))));
      const submissions = posted.flatMap((receipt, i) =>
        receipt instanceof ServiceError ? [] : [submissionOf(receipt, from + i, call, deps.links)],
      );
      const stored = [...(await storeInOrder(deps.storing, submissions, deps.log))];
      for (const receipt of posted) {
        outcomes.push(receipt instanceof ServiceError ? receipt : (stored.shift() as StoreOutcome));
      }
    }
    return replyOf(outcomes, basePath, (id) => answeredLinks(deps, id, call));
  };
}

/** Reads a receipt in the same way as the gateway reads the body of `POST /receipts`. */
function receiptReader(bytesMax: number): (text: Buffer) => Promise<PostedReceipt> {
  const { body } = createReceipt;
  const read = jsonReader(body.variants['application/json'], body);
  return async (text) => {
    if (text.length > bytesMax) throw tooLarge(bodyTooLarge, 'the body', bytesMax);
    return (await read(text)).value as PostedReceipt;
  };
}

function submissionOf(
  posted: PostedReceipt,
  index: number,
  call: Call,
  links: CreateReceiptsDependencies['links'],
): Submission {
  const seed = `${call.id}/${index}`;
  const identity = { id: derivedId(call.id, seed), origin: `call:${seed}` };
  return postedSubmission(posted, { ...identity, call }, links);
}

function replyOf(
  outcomes: readonly StoreOutcome[],
  basePath: string,
  linksOf: (id: string) => ReceiptLinks | undefined,
) {
  let left = listedErrorsMax;
  const results = outcomes.map((outcome, index): BatchResult => {
    if (!(outcome instanceof ServiceError)) {
      const links = linksOf(outcome.id);
      return { index, status: 201, id: outcome.id, ...(links && { _links: links }) };
    }
    const { status, code, description, extra } = outcome;
    const errors = outcome.errors?.slice(0, Math.max(1, left));
    left -= errors?.length ?? 0;
    return {
      index,
      status,
      ...(code !== undefined && { code }),
      description,
      ...(errors && { errors: [...errors] }),
      ...(code !== undefined && { doc_url: errorPage(code, basePath) }),
      ...extra,
    };
  });
  const refused = outcomes.filter((outcome) => outcome instanceof ServiceError).length;
  const body = { accepted: outcomes.length - refused, refused, results };
  return { body, ...(results.some(isTemporary) && { provisional: true }) };
}
