import type { z } from 'zod';
import type { Call } from './call';
import type { EventContract } from './contract';
import { newId } from './ids';
import { timestampOf } from './timestamp';

/** What every event carries, whoever hears it. */
export interface EventRecord<T extends string = string, D = unknown> {
  readonly id: string;
  readonly type: T;
  readonly retailer: string;
  readonly subject: string;
  /** The version of the subject after the change, from 1: a gap shows that one was missed. */
  readonly sequence: number;
  readonly time: string;
  /** The id of the request in which it all began. */
  readonly correlationid: string;
  /** The id of the message that caused it. */
  readonly causationid?: string;
  readonly traceparent?: string;
  readonly data: D;
}

/** A CloudEvents 1.0 event in structured JSON form, as integrators get it. */
export interface CloudEvent<T extends string = string, D = unknown> extends EventRecord<T, D> {
  readonly specversion: '1.0';
  readonly source: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
}

/** What a subscriber to a contract gets; of several contracts, a union that `type` tells apart. */
export type EventOf<E extends EventContract> = E extends EventContract
  ? EventRecord<E['type'], z.output<E['data']>>
  : never;

/**
 * An event ready to go out: its text, and those of its attributes that a message shows on the outside. It is made in one
 * place only, here, so the two never differ.
 */
export interface PrintedEvent {
  readonly id: string;
  readonly type: string;
  readonly retailer: string;
  readonly correlationId: string;
  readonly traceparent?: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Only our own services get it. */
  readonly isInternal: boolean;
  /** The JSON text. */
  readonly text: string;
}

/** Where and when an event arose: all of it but what it says. */
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
  /** The data, or its JSON text where that is there already. */
  readonly data: D | string;
}

/** The origin of an event that a call causes now. */
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

/** Prints an event. The same origin and facts always give the same event. */
export function printEvent<E extends EventContract>(
  contract: E,
  facts: EventFacts<z.input<E['data']> & object>,
  origin: EventOrigin,
): PrintedEvent {
  const { type, collection, version = 1 } = contract;
  const { id, at, retailer, requestId, causationId, traceparent } = origin;
  const isInternal = contract.audience === 'internal';
  const attributes = JSON.stringify({
    ...(!isInternal && { specversion: '1.0' }),
    id,
    ...(!isInternal && { source: `/retailers/${retailer}/${collection}` }),
    type,
    subject: facts.subject,
    time: timestampOf(at),
    ...(!isInternal && { datacontenttype: 'application/json', dataschema: `/schemas/${type}/${version}` }),
    retailer,
    sequence: facts.sequence,
    correlationid: requestId,
    causationid: causationId,
    traceparent,
  });
  const data = typeof facts.data === 'string' ? facts.data : JSON.stringify(facts.data);
  return {
    id,
    type,
    retailer,
    correlationId: requestId,
    ...(traceparent !== undefined && { traceparent }),
    at: at.getTime(),
    isInternal,
    text: `${attributes.slice(0, -1)},"data":${data}}`,
  };
}

/** The event that a change causes now, with the call that caused it. */
export function eventOf<E extends EventContract>(
  contract: E,
  facts: EventFacts<z.input<E['data']> & object>,
  call: Pick<Call, 'id' | 'requestId' | 'retailer' | 'traceparent'>,
  now: Date,
): PrintedEvent {
  return printEvent(contract, facts, originOf(call, now));
}
