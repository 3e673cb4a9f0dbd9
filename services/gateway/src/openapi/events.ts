import { cloudEvent } from '@receipts/contracts';
import { schemaPathOf, type EventContract } from '@receipts/kernel';
import { SchemaBook, type JsonSchema } from './json-schema';
import { sampleOf } from './sample';
import { resolver } from './schema-view';

export type Events = Readonly<Record<string, EventContract>>;

/** Describes an attribute as the event feed does. */
function attribute(name: keyof typeof cloudEvent.shape, schema: JsonSchema): JsonSchema {
  const { description } = cloudEvent.shape[name];
  return { type: 'string', ...schema, ...(description !== undefined && { description }) };
}

function envelopeOf(book: SchemaBook, contract: EventContract): JsonSchema {
  const { type, collection, data } = contract;
  const optional = ['causationid', 'traceparent'];
  return {
    type: 'object',
    required: Object.keys(cloudEvent.shape).filter((name) => !optional.includes(name)),
    properties: {
      specversion: attribute('specversion', { const: '1.0' }),
      id: attribute('id', {}),
      source: attribute('source', { pattern: `^/retailers/[a-z0-9-]+/${collection}$` }),
      type: attribute('type', { const: type }),
      subject: attribute('subject', {}),
      time: attribute('time', { format: 'date-time' }),
      datacontenttype: attribute('datacontenttype', { const: 'application/json' }),
      dataschema: attribute('dataschema', { const: schemaPathOf(contract) }),
      retailer: attribute('retailer', {}),
      sequence: attribute('sequence', { type: 'integer', minimum: 1 }),
      correlationid: attribute('correlationid', {}),
      causationid: attribute('causationid', {}),
      traceparent: attribute('traceparent', {}),
      data: { ...book.answer(data), description: `The data of ${type}.` },
    },
  };
}

/** The schema of an event's data, served at the address in its `dataschema`. */
export function schemaOfEvent(contract: EventContract): JsonSchema {
  return { $id: schemaPathOf(contract), title: contract.summary, ...SchemaBook.alone(contract.data) };
}

const messageHeaders: JsonSchema = {
  type: 'object',
  description:
    'The properties `message_id`, `type` and `timestamp` of the message equal the `id`, `type` and `time` of the event.',
  properties: { traceparent: attribute('traceparent', {}) },
};

/** An example of an event. */
function exampleOf(book: SchemaBook, contract: EventContract): JsonSchema {
  const { type, collection, data } = contract;
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
    dataschema: schemaPathOf(contract),
    retailer: 'demo',
    sequence: 1,
    correlationid: '6650f2c81b3c9a0012ab34cd',
    data: sample,
  };
}

function messageOf(book: SchemaBook, event: EventContract) {
  return {
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
  };
}

export type EventApi = ReturnType<typeof describeEvents>;

/** The AsyncAPI 3 description of the events, generated from their declarations alone. */
export function describeEvents(owners: readonly Events[], version: string) {
  const events = owners.flatMap((owned) => Object.values(owned)).sort((a, b) => (a.type < b.type ? -1 : 1));
  const each = <T>(make: (event: EventContract) => T): Record<string, T> =>
    Object.fromEntries(events.map((event) => [event.type, make(event)]));
  const book = new SchemaBook(false);
  const messages = each((event) => messageOf(book, event));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Receipt service events',
      version,
      description:
        'CloudEvents 1.0 in structured JSON on the topic exchange `receipts.events`. The routing key is the event type. ' +
        'Events are delivered at least once: a redelivered event has the same `id`. No event contains a secret.',
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0' },
      tags: [...new Set(events.map(({ owner }) => owner))].sort().map((name) => ({ name })),
    },
    servers: {
      broker: {
        host: '{host}',
        protocol: 'amqp',
        description: 'RabbitMQ. The operator creates a user and a queue for each subscription.',
        variables: { host: { default: 'localhost:5672', description: 'The host and port of the broker.' } },
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
      events.map(({ type, summary, description }) => [
        `publish-${type}`,
        {
          action: 'send',
          summary,
          description,
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
