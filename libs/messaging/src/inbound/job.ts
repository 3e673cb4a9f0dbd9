import {
  decodeUtf8,
  malformedBody,
  ServiceError,
  type Call,
  type Contract,
  type Input,
  type Reply,
  type Span,
} from '@receipts/kernel';
import type { RequestHeader } from '../message/envelope';
import type { Destination } from '../reporting/spans';

/** The result of handling one item: a reply, a refusal (which is a valid reply too), or an unexpected fault. */
export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'refusal'; readonly refusal: ServiceError }
  | { readonly kind: 'fault'; readonly fault: unknown };

/** One item to handle. */
export interface Job {
  readonly header: RequestHeader;
  readonly body: Buffer;
  readonly call: Call;
  /** Where the message came from, for the span. */
  readonly destination: Destination;
  /** The span of the handling; undefined before the start, and if the item is not traced. */
  readonly span: Span | undefined;
  /** True once any item of the same message has been started; the message is then finished in this process. */
  readonly isBegun: () => boolean;
  /** Marks the start. False when the caller no longer waits for the reply. */
  readonly start: () => boolean;
  readonly finish: (outcome: Outcome) => void;
}

function parsed(contract: Contract, header: RequestHeader, body: Buffer): unknown {
  const declared = contract.body;
  if (declared === undefined) return undefined;
  if ('kind' in declared && declared.kind === 'bytes') return body;
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(decodeUtf8(body));
  } catch (cause) {
    throw new ServiceError(malformedBody, { internal: `the body of ${header.type} is not JSON`, cause });
  }
}

/**
 * @throws ServiceError 400 when the body is not JSON. Senders validate bodies against the schema, so the owner does
 * not.
 */
export function inputOf(contract: Contract, { header, body }: Pick<Job, 'header' | 'body'>): Input {
  const { params, query, headers, contentType } = header.args;
  const input = { params, query, headers, body: parsed(contract, header, body) };
  return (contentType === undefined ? input : { ...input, contentType }) as unknown as Input;
}

export function outcomeOfError(error: unknown): Outcome {
  return error instanceof ServiceError
    ? { kind: 'refusal', refusal: error }
    : { kind: 'fault', fault: error };
}
