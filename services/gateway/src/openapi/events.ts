import type { EventContract } from '@receipts/kernel';
import { SchemaBook, type JsonSchema } from './json-schema';
import { sampleOf } from './sample';
import { resolver } from './schema-view';

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

/** The schema of an event's data, served at the address in its `dataschema`. */
export function schemaOfEvent({ type, summary, data }: EventContract): JsonSchema {
  return { $id: `/schemas/${type}/1`, title: summary, ...SchemaBook.alone(data) };
}

const messageHeaders: JsonSchema = {
  type: 'object',
  description:
    'Beside them, the properties `message_id`, `type` and `timestamp` repeat `id`, `type` and `time`.',
  properties: { traceparent: { type: 'string', description: 'W3C trace context, where there is one.' } },
};

/** An example of an event. */
function exampleOf(book: SchemaBook, { type, collection, data }: EventContract): JsonSchema {
  const sample = sampleOf(book.answer(data), resolver(book.components));
  const subject = (sample as { readonly id?: unknown }).id;
  return {
    specversion: '1.0',
    id: '6650f2c81b3c9a0012ab34ce',
    source: `/retailers/demo/${collection}`,
    type,
    subject: typeof subject === 'string' || typeof subject === 'number' ? String(subject) : 'text',
    time: '2024-05-17T12:03:22.000+00:00',
    datacontenttype: 'application/json',
    dataschema: `/schemas/${type}/1`,
    retailer: 'demo',
    sequence: 1,
    correlationid: '6650f2c81b3c9a0012ab34cd',
    data: sample,
  };
}

/** The AsyncAPI 3 description of the events, generated from their declarations alone. */
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
    headers: messageHeaders,
    payload: envelopeOf(book, event),
    examples: [{ name: event.type, payload: exampleOf(book, event) }],
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
    servers: {
      broker: {
        host: '{host}',
        protocol: 'amqp',
        description: 'RabbitMQ, with the user and the queue that the operator has set up for a subscription.',
        variables: { host: { default: 'localhost:5672', description: 'Host and port of the broker.' } },
      },
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
