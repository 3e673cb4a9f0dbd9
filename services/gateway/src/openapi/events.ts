import type { EventContract } from '@receipts/kernel';
import { SchemaBook, type JsonSchema } from './json-schema';

export type Events = Readonly<Record<string, EventContract>>;

const text = { type: 'string' };

function envelopeOf(book: SchemaBook, { type, collection, version = 1, data }: EventContract): JsonSchema {
  return {
    type: 'object',
    required: [
      'specversion',
      'id',
      'source',
      'type',
      'subject',
      'time',
      'datacontenttype',
      'dataschema',
      'retailer',
      'sequence',
      'correlationid',
      'data',
    ],
    properties: {
      specversion: { type: 'string', const: '1.0' },
      id: { ...text, description: 'Unique for ever: an event that comes twice has the same id.' },
      source: { ...text, pattern: `^/retailers/[a-z0-9-]+/${collection}$` },
      type: { type: 'string', const: type },
      subject: { ...text, description: 'The id of the thing that it is about.' },
      time: { ...text, format: 'date-time' },
      datacontenttype: { type: 'string', const: 'application/json' },
      dataschema: { type: 'string', const: `/schemas/${type}/${version}` },
      retailer: text,
      sequence: {
        type: 'integer',
        minimum: 1,
        description: 'The version of the subject: a gap shows a missed event.',
      },
      correlationid: { ...text, description: 'The id of the request in which it all began.' },
      causationid: { ...text, description: 'The id of the message that caused it.' },
      traceparent: { ...text, description: 'W3C trace context.' },
      data: book.answer(data),
    },
  };
}

/** The description of the events on the broker, AsyncAPI 3, made of their declarations alone. */
export function describeEvents(owners: readonly Events[], version: string): JsonSchema {
  const events = owners.flatMap((owned) => Object.values(owned)).sort((a, b) => (a.type < b.type ? -1 : 1));
  const each = <T>(make: (event: EventContract) => T): Record<string, T> =>
    Object.fromEntries(events.map((event) => [event.type, make(event)]));
  const book = new SchemaBook(false);
  const messages = each((event) => ({
    name: event.type,
    title: event.summary,
    summary: event.summary,
    description: event.description,
    contentType: 'application/cloudevents+json',
    payload: envelopeOf(book, event),
    bindings: { amqp: { contentEncoding: 'utf-8', messageType: event.type, bindingVersion: '0.3.0' } },
    'x-owner': event.owner,
  }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Receipt service events',
      version,
      description:
        'CloudEvents 1.0 in structured JSON on the topic exchange `receipts.events`; the routing key is the type. ' +
        'Delivery is at least once: an event may come twice, with the same `id`. No event carries a secret.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: each(({ type, summary }) => ({
      address: type,
      description: summary,
      messages: { [type]: { $ref: `#/components/messages/${type}` } },
      bindings: {
        amqp: {
          is: 'routingKey',
          exchange: { name: 'receipts.events', type: 'topic', durable: true, autoDelete: false },
          bindingVersion: '0.3.0',
        },
      },
    })),
    operations: Object.fromEntries(
      events.map(({ type, summary }) => [
        `publish-${type}`,
        {
          action: 'send',
          summary,
          channel: { $ref: `#/channels/${type}` },
          messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
        },
      ]),
    ),
    components: {
      messages,
      schemas: book.components,
    },
  };
}
