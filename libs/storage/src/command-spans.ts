import type { Span, Tracing } from '@receipts/kernel';
import type { CommandStartedEvent, MongoClient } from 'mongodb';

/** Commands whose value is not a collection name. */
const withoutCollection = new Set(['ping', 'hello', 'endSessions', 'listCollections', 'killCursors']);

function collectionOf({ commandName, command }: CommandStartedEvent): string | undefined {
  if (withoutCollection.has(commandName)) return undefined;
  const { collection, [commandName]: named } = command;
  const name: unknown = commandName === 'getMore' ? collection : named;
  return typeof name === 'string' ? name : undefined;
}

/** The number of operations in one command; undefined for a single one. */
function batchSizeOf({ command }: CommandStartedEvent): number | undefined {
  const { documents, updates, deletes } = command as Record<string, unknown>;
  const list = documents ?? updates ?? deletes;
  return Array.isArray(list) && list.length > 1 ? list.length : undefined;
}

/**
 * Name and attributes follow OpenTelemetry's conventions for databases. The contents of queries and documents
 * are omitted.
 */
export function commandSpanOf(event: CommandStartedEvent) {
  const collection = collectionOf(event);
  const batchSize = batchSizeOf(event);
  const [host = '', port] = event.address.split(/:(?=\d+$)/);
  return {
    name: collection === undefined ? event.commandName : `${event.commandName} ${collection}`,
    attributes: {
      'db.system.name': 'mongodb',
      'db.namespace': event.databaseName,
      'db.operation.name': event.commandName,
      ...(collection !== undefined && { 'db.collection.name': collection }),
      ...(batchSize !== undefined && { 'db.operation.batch.size': batchSize }),
      'server.address': host,
      ...(port !== undefined && { 'server.port': Number(port) }),
    },
  };
}

/** Records a span for each command that is part of traced work. The client must have `monitorCommands` enabled. */
export function traceCommands(client: MongoClient, tracing: Tracing): void {
  const spans = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    const parent = tracing.current();
    if (parent === undefined) return;
    const { name, attributes } = commandSpanOf(event);
    spans.set(event.requestId, tracing.start(name, { kind: 'client', parent, attributes }));
  });
  const end = (requestId: number, errorType?: string) => {
    spans.get(requestId)?.end(errorType);
    spans.delete(requestId);
  };
  client.on('commandSucceeded', ({ requestId }) => end(requestId));
  client.on('commandFailed', ({ requestId, failure }) => end(requestId, failure.name));
}
