import type { Call, Contract } from '@receipts/kernel';
import type { MessageFacts } from '../reporting/spans';
import { noBytes, type RequestHeader } from './envelope';

/** A request with a serialized body, which is passed on without parsing or serializing it again. */
export interface RawRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** @param input the members that the contract declares; a body that is not a buffer is serialized as JSON */
export function serializeRequest(input: object): RawRequest {
  const { params, query, headers, contentType, body } = input as Omit<RawRequest, 'body'> & {
    readonly body?: unknown;
  };
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return {
    ...{ params, query, headers },
    ...(contentType !== undefined && { contentType }),
    ...(bytes !== undefined && { body: bytes }),
  };
}

/** The header of a request in its envelope, as JSON. */
export function requestHead(id: number, contract: Contract, request: RawRequest, call: Call): string {
  const { params, query, headers, contentType, body = noBytes } = request;
  const args = { params, query, headers, ...(contentType !== undefined && { contentType }) };
  return JSON.stringify({ id, type: contract.name, args, call, n: body.length } satisfies RequestHeader);
}

/** The facts of a request for its span. */
export function requestFacts(type: string, call: Call): MessageFacts {
  const { id, requestId, retailer, traceparent } = call;
  return { type, id, conversationId: requestId, retailer, traceparent };
}
