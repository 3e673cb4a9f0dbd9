import type { Call, Contract } from '@receipts/kernel';

/** A request whose body travels as the bytes that the caller sent. */
export interface RawRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly contentType?: string;
  readonly body: Buffer;
}

export interface RawReply {
  readonly meta?: unknown;
  readonly replayed?: boolean;
  readonly body: Buffer;
}

/** What the HTTP side needs of the broker; `@receipts/messaging` fits, and so does a fake in a test. */
export interface BrokerPort {
  readonly state: 'up' | 'blocked' | 'down';
  /** @throws ServiceError: the owner's refusal, or 503 when nobody answers before the call's deadline. */
  askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply>;
  /** Resolves when the broker has confirmed the message. */
  sendRaw(contract: Contract, request: RawRequest, call: Call): Promise<void>;
}
