import type { z } from 'zod';
import type { Call } from './call';
import type { EventContract } from './contract';
import { newId } from './ids';
import { timestampOf } from './timestamp';

/** The members of every event, for all audiences. */
export interface EventRecord<T extends string = string, D = unknown> {
  readonly id: string;
  readonly type: T;
  readonly retailer: string;
  readonly subject: string;
  /** The subject's version after the change, from 1. It orders the subject's events; not every version has one. */
  readonly sequence: number;
  readonly time: string;
  /** The id of the request that started the chain. */
  readonly correlationid: string;
  /** The id of the message that caused the event. */
  readonly causationid?: string;
  readonly traceparent?: string;
  readonly data: D;
}

/** A CloudEvents 1.0 event in structured JSON form, as integrators receive it. */
export interface CloudEvent<T extends string = string, D = unknown> extends EventRecord<T, D> {
  readonly specversion: '1.0';
  readonly source: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
}

/** The event type of a subscription; for several contracts, a union discriminated by `type`. */
export type EventOf<E extends EventContract> = E extends EventContract
  ? EventRecord<E['type'], z.output<E['data']>>
  : never;

/**
 * An event ready for publishing: its text, and the attributes that the message's properties repeat. Only
 * `serializeEvent` creates both, so they always agree.
 */
export interface SerializedEvent {
  readonly id: string;
  readonly type: string;
  readonly retailer: string;
  readonly correlationId: string;
  readonly traceparent?: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** True for events that only our own services receive. */
  readonly isInternal: boolean;
  /** The JSON text, serialized when it is first read: most events of a type without consumers are never sent. */
  readonly text: string;
}

/** The origin of an event: all attributes except its facts. */
export interface EventOrigin {
  readonly id: string;
  readonly at: Date;
  readonly retailer: string;
  readonly requestId: string;
  readonly causationId?: string;
  readonly traceparent?: string;
}

export interface EventFacts<D> {
  readonly subject: string;
  readonly sequence: number;
  /** The data, or a function that returns its JSON text. */
  readonly data: D | (() => string);
}

/** The origin of an event that is caused by a call at this moment. */
export function originOf(
  call: Pick<Call, 'id' | 'requestId' | 'retailer' | 'traceparent'>,
  now: Date,
): EventOrigin {
  return {
    id: newId(now.getTime()),
    at: now,
    retailer: call.retailer,
    requestId: call.requestId,
    causationId: call.id,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
  };
}

/**
 * Creates the serialized form of an event. The result depends only on the arguments, which must not change until its
 * text has been read.
 */
export function serializeEvent<E extends EventContract>(
  contract: E,
  facts: EventFacts<z.input<E['data']> & object>,
  origin: EventOrigin,
): SerializedEvent {
  return new LazyEvent(contract, facts, origin);
}

/**
 * A class, because V8 creates a hidden class for each literal with a getter: an event whose text is never read takes
 * 0.1 µs instead of 1.0.
 */
class LazyEvent<E extends EventContract> implements SerializedEvent {
  readonly id: string;
  readonly type: string;
  readonly retailer: string;
  readonly correlationId: string;
  declare readonly traceparent?: string;
  readonly at: number;
  readonly isInternal: boolean;
  // Really private: the outbox copies all enumerable properties.
  // oxlint-disable-next-line receipts/private-members
  readonly #parts: Parameters<typeof textOf<E>>;
  // oxlint-disable-next-line receipts/private-members
  #text: string | undefined;

  constructor(...parts: Parameters<typeof textOf<E>>) {
    const [{ type, audience }, , { id, at, retailer, requestId, traceparent }] = parts;
    this.id = id;
    this.type = type;
    this.retailer = retailer;
    this.correlationId = requestId;
    if (traceparent !== undefined) this.traceparent = traceparent;
    this.at = at.getTime();
    this.isInternal = audience === 'internal';
    this.#parts = parts;
  }

  get text(): string {
    return (this.#text ??= textOf(...this.#parts));
  }
}

/** The address of the schema of an event's data. */
export const schemaPathOf = ({ type, version = 1 }: Pick<EventContract, 'type' | 'version'>) =>
  `/schemas/${type}/${version}`;

function textOf<E extends EventContract>(
  contract: E,
  { subject, sequence, data }: EventFacts<z.input<E['data']> & object>,
  { id, at, retailer, requestId, causationId, traceparent }: EventOrigin,
): string {
  const { type, collection, audience } = contract;
  const isInternal = audience === 'internal';
  const attributes = JSON.stringify({
    id,
    ...(!isInternal && { specversion: '1.0', source: `/retailers/${retailer}/${collection}` }),
    type,
    subject,
    time: timestampOf(at),
    ...(!isInternal && { datacontenttype: 'application/json', dataschema: schemaPathOf(contract) }),
    retailer,
    sequence,
    correlationid: requestId,
    causationid: causationId,
    traceparent,
  });
  const json = typeof data === 'function' ? data() : JSON.stringify(data);
  return `${attributes.slice(0, -1)},"data":${json}}`;
}

/** Creates the event for a change that is caused by a call at this moment. */
export function eventOf<E extends EventContract>(
  contract: E,
  facts: EventFacts<z.input<E['data']> & object>,
  call: Pick<Call, 'id' | 'requestId' | 'retailer' | 'traceparent'>,
  now: Date,
): SerializedEvent {
  return serializeEvent(contract, facts, originOf(call, now));
}
