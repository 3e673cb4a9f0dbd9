import { newId } from './ids';

/** The caller. `service` is one of the platform's own services, acting on its own behalf. */
export interface Principal {
  readonly kind: 'client' | 'operator' | 'service';
  /** `bearer:7`, `hmac:3`, `operator`, or the name of a service. */
  readonly id: string;
}

/** Settings of a client that change the responses of endpoints. */
export interface ClientSettings {
  readonly assign_returns_receipt?: boolean;
  readonly consumer_required?: boolean;
}

/** The metadata of a message, everything except its business data. */
export interface Call {
  /**
   * The id of the message: 24 hexadecimal digits, globally unique. A one-way command creates its document under
   * this id.
   */
  readonly id: string;
  /** The id of the HTTP request or message that started the chain; also the correlation id. */
  readonly requestId: string;
  /** The tenant. Empty for operator calls that do not concern a particular retailer. */
  readonly retailer: string;
  readonly principal: Principal;
  /** The caller's permissions; present only if the contract needs them. */
  readonly permissions?: readonly string[];
  /** Present if the credential is restricted to these consumers (a signed `consumer`). */
  readonly consumers?: readonly string[];
  /** Present if the caller, a user of the portal, is restricted to the stores with these references. */
  readonly stores?: readonly string[];
  readonly settings?: ClientSettings;
  /** Epoch milliseconds after which the caller no longer waits for the reply. */
  readonly deadline: number;
  /** True for a one-way command: its sender waited only for the broker's confirm, so nobody waits for the reply. */
  readonly isOneWay?: true;
  readonly idempotencyKey?: string;
  /** The id of the message or event that caused this call. */
  readonly causationId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** When the message was created, in epoch milliseconds. */
  readonly at: number;
}

/**
 * An `Idempotency-Key` as stored in the document that its request created, so that either both are stored or neither.
 */
export interface RequestKey {
  /** A digest of the key, its principal and its contract. */
  readonly key: string;
  /** Shows whether a retry is the same request. */
  readonly fingerprint: string;
  readonly at: Date;
}

/** True if the caller may only see some receipts of the retailer, so that others must look missing to it. */
export function isConfined({ consumers, stores }: Pick<Call, 'consumers' | 'stores'>): boolean {
  return consumers !== undefined || stores !== undefined;
}

/** The part of a call that limits how long its work may take. */
export type TimeLimit = Pick<Call, 'deadline'>;

/** Milliseconds until the caller's deadline, at least 0. */
export function remainingMs({ deadline }: TimeLimit, now: number): number {
  return Math.max(0, deadline - now);
}

/**
 * A service's call to another service on behalf of its caller, with the same retailer, trace and deadline. Its id is new
 * whenever the caller's call is executed again. For a request that must not take effect twice, replace it by a
 * `derivedId` of the caller's id, with a seed that also names the item if the request is one of several.
 */
export function delegatedCall(service: string, call: Call, now: number): Call {
  return {
    id: newId(now),
    requestId: call.requestId,
    retailer: call.retailer,
    principal: { kind: 'service', id: service },
    deadline: call.deadline,
    causationId: call.id,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    at: now,
  };
}

const serviceCallTimeoutMs = 5_000;

/** A service's call on its own behalf. Omit the retailer if the call does not concern a particular retailer. */
export function serviceCall(
  service: string,
  now: number,
  retailer = '',
  timeoutMs = serviceCallTimeoutMs,
): Call {
  const id = newId(now);
  return {
    id,
    requestId: id,
    retailer,
    principal: { kind: 'service', id: service },
    deadline: now + timeoutMs,
    at: now,
  };
}

/** What caused a service's call: a message or a document. */
interface Cause extends Pick<Call, 'id' | 'requestId' | 'retailer'> {
  readonly traceparent?: string | undefined;
  readonly consumers?: readonly string[] | undefined;
}

/**
 * A service's call that a message or a document has caused, with a time limit of its own. It keeps the restriction of the
 * posting credential to consumers.
 */
export function causedCall(service: string, cause: Cause, now: number, timeoutMs: number): Call {
  return {
    causationId: cause.id,
    ...serviceCall(service, now, cause.retailer, timeoutMs),
    requestId: cause.requestId,
    ...(cause.traceparent !== undefined && { traceparent: cause.traceparent }),
    ...(cause.consumers && { consumers: cause.consumers }),
  };
}
