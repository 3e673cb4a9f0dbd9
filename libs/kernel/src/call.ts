import { newId } from './ids';

/** Who is calling. `service` is one of our own, acting on its own account. */
export interface Principal {
  readonly kind: 'client' | 'operator' | 'service';
  /** `bearer:7`, `hmac:3`, `operator`, or the name of a service. */
  readonly id: string;
}

/** Settings of a client that change what an endpoint answers. */
export interface ClientSettings {
  readonly assign_returns_receipt?: boolean;
  readonly consumer_required?: boolean;
}

/** Everything that travels with a message besides its business data. */
export interface Call {
  /** The id of the message, 24 hexadecimal digits, unique for ever. A confirmed command creates the thing of this id. */
  readonly id: string;
  /** The id of the HTTP request, or of the message, in which it all began; it is also the correlation id. */
  readonly requestId: string;
  /** The tenant. Empty for the operator's calls that concern no single retailer. */
  readonly retailer: string;
  readonly principal: Principal;
  /** The caller's permissions; present where the contract asks for them. */
  readonly permissions?: readonly string[];
  /** Present when the credential is confined to these consumers (a signed `consumer`). */
  readonly consumers?: readonly string[];
  readonly settings?: ClientSettings;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadline: number;
  readonly idempotencyKey?: string;
  /** The id of the message or event that caused this one. */
  readonly causationId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** When the message was made, epoch milliseconds. */
  readonly at: number;
}

/** An `Idempotency-Key` as it stands in the document that its request has made: both are there, or neither. */
export interface RequestKey {
  /** A digest of the key, whose it is and what it was used for. */
  readonly key: string;
  /** Tells whether a repetition asks for the same. */
  readonly fingerprint: string;
  readonly at: Date;
}

/** Milliseconds that are left until the caller gives up; never below zero. */
export function remainingMs(call: Call, now: number): number {
  return Math.max(0, call.deadline - now);
}

/** The call with which a service asks another one on behalf of its caller: same retailer, trace and deadline. */
export function innerCall(service: string, call: Call, now: number): Call {
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

/** A call of a service on its own account. Without a retailer it concerns no single one. */
export function ownCall(service: string, now: number, timeoutMs: number, retailer = ''): Call {
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
