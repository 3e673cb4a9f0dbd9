import type { Call, Contract } from '@receipts/kernel';

/** A request whose body is forwarded as the caller's bytes, without parsing it again. */
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

/** The parts of the broker that the HTTP side needs. Implemented by `@receipts/messaging`, and by a fake in tests. */
export interface BrokerPort {
  readonly state: 'up' | 'blocked' | 'down';
  /** @throws ServiceError: the owner's error, or 503 when no reply arrives before the call's deadline. */
  askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply>;
  /** Resolves when the broker has confirmed the message. */
  sendRaw(contract: Contract, request: RawRequest, call: Call): Promise<void>;
}
