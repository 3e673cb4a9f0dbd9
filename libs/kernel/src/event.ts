import type { z } from 'zod';
import type { Call } from './call';
import type { EventShape } from './contract';
import { newId } from './ids';

/** A CloudEvents 1.0 event in structured JSON form, with the extensions that every event of the platform carries. */
export interface CloudEvent<D = unknown> {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
  readonly retailer: string;
  /** The version of the subject after the change, from 1: a gap shows that one was missed. */
  readonly sequence: number;
  readonly correlationid: string;
  readonly causationid?: string;
  readonly traceparent?: string;
  readonly data: D;
}

export interface EventFacts<D> {
  readonly subject: string;
  readonly sequence: number;
  readonly data: D;
}

/** Makes the event that a change caused, with the call that caused it. */
export function eventOf<S extends z.ZodType>(
  shape: EventShape<S>,
  facts: EventFacts<z.input<S>>,
  call: Pick<Call, 'id' | 'requestId' | 'retailer' | 'traceparent'>,
  now: Date,
): CloudEvent<z.input<S>> {
  return {
    specversion: '1.0',
    id: newId(now.getTime()),
    source: `/retailers/${call.retailer}/${shape.collection}`,
    type: shape.type,
    subject: facts.subject,
    time: now.toISOString(),
    datacontenttype: 'application/json',
    dataschema: `/schemas/${shape.type}/1`,
    retailer: call.retailer,
    sequence: facts.sequence,
    correlationid: call.requestId,
    causationid: call.id,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    data: facts.data,
  };
}
