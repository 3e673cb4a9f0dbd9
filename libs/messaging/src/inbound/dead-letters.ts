import type { Channel, GetMessage } from 'amqplib';
import { pause } from '@receipts/concurrency';
import { retrySoon, unavailable } from '@receipts/kernel';
import { unpackEnvelope, type RequestHeader } from '../message/envelope';
import type { Connection, WithConnection } from '../connection/connection';
import {
  envelopeContentType,
  eventBatchContentType,
  eventContentType,
  headerNames,
  headersOf,
  keptOf,
  textOf,
} from '../message/properties';
import type { ConfirmedPublisher } from '../outbound/confirmed-publisher';
import type { BrokerContext } from '../topology/broker-context';
import { deadLetterQueue, integratorQueues, readLock } from '../topology/queues';

/** The maximum number of messages that one operation reads. */
const messagesReadMax = 10_000;
const giveBackTimeoutMs = 1_000;
const giveBackPollMs = 10;
const lockTimeoutMs = 4_000;
const lockPollMs = 20;
const lockedCode = 405;

/** A dead letter without its content. */
export interface DeadLetter {
  readonly id: string;
  readonly type: string;
  readonly retailer: string;
  readonly reason: string;
  readonly attempts: number;
  readonly firstFailedAt: string | undefined;
  readonly lastFailedAt: string | undefined;
  /** The queue that it was dead-lettered from and is replayed to. */
  readonly queue: string;
  readonly traceId: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * Operations on dead-letter queues. `queue` is the queue that the messages come from, without the suffix
 * `.dead-letters`.
 */
export interface DeadLetters {
  /** At most 10,000 messages, ordered by id. */
  list(queue: string): Promise<DeadLetter[]>;
  /** The message with its content: the items of an envelope, or the event. */
  show(queue: string, id: string): Promise<(DeadLetter & { readonly content: unknown }) | undefined>;
  /**
   * Returns messages to their queue with the same id and a new count of attempts; resolves to the number of messages.
   * @param until skips messages that were dead-lettered later
   */
  replay(queue: string, ids: readonly string[], until: Date): Promise<number>;
  /**
   * Deletes messages and resolves to the number of messages.
   * @param until skips messages that were dead-lettered later
   */
  discard(queue: string, ids: readonly string[], until: Date): Promise<number>;
}

function described(queue: string, { properties }: GetMessage): DeadLetter {
  const headers = headersOf(properties);
  const traceparent = textOf(headers[headerNames.traceparent]);
  // A message that killed its consumers was dead-lettered by the broker, which sets its own reason.
  const reason = textOf(headers[headerNames.reason]) ?? textOf(headers['x-first-death-reason']) ?? 'unknown';
  return {
    id: String(properties.messageId ?? ''),
    type: String(properties.type ?? 'unknown'),
    retailer: textOf(headers[headerNames.retailer]) ?? '',
    reason,
    attempts: Number(headers[headerNames.attempts] ?? 0),
    firstFailedAt: textOf(headers[headerNames.firstFailedAt]),
    lastFailedAt: textOf(headers[headerNames.lastFailedAt]),
    queue: textOf(headers[headerNames.queue]) ?? queue,
    traceId: traceparent?.split('-')[1],
    requestId: textOf(properties.correlationId),
  };
}

/** The queue on the broker from which an integrator's event was dead-lettered last; undefined for other messages. */
function integratorQueueOf(queue: string, { properties }: GetMessage): string | undefined {
  if (queue !== integratorQueues) return undefined;
  const [death] = (headersOf(properties)['x-death'] ?? []) as readonly { readonly queue?: unknown }[];
  return textOf(death?.queue);
}

function contentOf({ content, properties }: GetMessage): unknown {
  const { contentType } = properties as { contentType?: unknown };
  if (contentType === eventContentType || contentType === eventBatchContentType) return bodyOf(content);
  try {
    if (contentType === envelopeContentType)
      return unpackEnvelope<RequestHeader>(content).map(({ header, body }) => ({
        ...header,
        body: bodyOf(body),
      }));
  } catch {
    // The message may have been dead-lettered because it is unreadable.
  }
  return { base64: content.toString('base64') };
}

function bodyOf(body: Buffer): unknown {
  const asText = body.toString('utf8');
  try {
    return JSON.parse(asText);
  } catch {
    return Buffer.from(asText, 'utf8').equals(body) ? asText : { base64: body.toString('base64') };
  }
}

/**
 * The decision of a visitor about a message: `remove` acknowledges it, `keep` returns it, `stop` returns it and ends
 * the visit.
 */
type Decision = 'remove' | 'keep' | 'stop';
type Visitor = (message: GetMessage) => Decision | Promise<Decision>;

/**
 * Waits until no other operation reads the queue, because messages held by one reader are invisible to another. The
 * lock is an exclusive queue, so it ends with its connection at the latest.
 * @returns the name of the exclusive queue
 * @throws ServiceError 503 if the other operation takes too long
 */
async function lock(connection: Connection, queue: string): Promise<string> {
  const name = readLock(queue);
  const giveUpAt = Date.now() + lockTimeoutMs;
  const exclusive = { exclusive: true, durable: false, autoDelete: true };
  for (;;) {
    try {
      await connection.withChannel((channel) => channel.assertQueue(name, exclusive));
      return name;
    } catch (error) {
      if ((error as { code?: unknown }).code !== lockedCode) throw error;
    }
    if (Date.now() > giveUpAt) throw retrySoon(unavailable, { internal: `${queue} is being read` });
    await pause(lockPollMs);
  }
}

/**
 * Returns unacknowledged messages to the queue, and waits until they are visible again.
 * @param count the number of all messages that the queue then has
 */
async function giveBack(channel: Channel, queue: string, count: number): Promise<void> {
  channel.nackAll(true);
  const giveUpAt = Date.now() + giveBackTimeoutMs;
  while ((await channel.checkQueue(queue)).messageCount < count && Date.now() < giveUpAt)
    await pause(giveBackPollMs);
}

/** The dead letters in the broker. Each operation reads them over its own connection. */
export class BrokerDeadLetters implements DeadLetters {
  constructor(
    private readonly context: Pick<BrokerContext, 'names' | 'now'>,
    private readonly publisher: ConfirmedPublisher,
    private readonly withConnection: WithConnection,
  ) {}

  async list(queue: string): Promise<DeadLetter[]> {
    const found: DeadLetter[] = [];
    await this.visit(queue, (message) => {
      found.push(described(queue, message));
      return 'keep';
    });
    // The broker guarantees no stable order, so messages are ordered by id, which is chronological.
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async show(queue: string, id: string): ReturnType<DeadLetters['show']> {
    let found: Awaited<ReturnType<DeadLetters['show']>>;
    await this.visit(queue, (message) => {
      const letter = described(queue, message);
      if (letter.id !== id) return 'keep';
      found = { ...letter, content: contentOf(message) };
      return 'stop';
    });
    return found;
  }

  replay(queue: string, ids: readonly string[], until: Date): Promise<number> {
    return this.remove(queue, ids, until, (message) => this.republish(queue, message));
  }

  discard(queue: string, ids: readonly string[], until: Date): Promise<number> {
    return this.remove(queue, ids, until, async () => {});
  }

  /** Reads the dead letters of a queue. Those that are not removed are returned, even if the visitor fails. */
  private visit(queue: string, visitor: Visitor): Promise<void> {
    const name = this.context.names.queue(deadLetterQueue(queue));
    return this.withConnection(async (connection) => {
      const locked = await lock(connection, name);
      try {
        await connection.withChannel(async (channel) => {
          const { messageCount } = await channel.checkQueue(name);
          let [kept, removed] = [0, 0];
          for (let count = 0; count < Math.min(messageCount, messagesReadMax); count++) {
            const message = await channel.get(name);
            if (!message) break;
            const decision = await visitor(message);
            if (decision === 'remove') {
              channel.ack(message);
              removed++;
            } else kept++;
            if (decision === 'stop') break;
          }
          if (kept > 0) await giveBack(channel, name, messageCount - removed);
        });
      } catch (error) {
        if ((error as { code?: unknown }).code !== 404) throw error;
      } finally {
        // A busy broker removes the queues of a closed connection seconds later, and the next operation would wait.
        await connection.withChannel((channel) => channel.deleteQueue(locked)).catch(() => undefined);
      }
    });
  }

  private async remove(
    queue: string,
    ids: readonly string[],
    until: Date,
    beforeRemoval: (message: GetMessage) => Promise<void>,
  ): Promise<number> {
    const selected = new Set(ids);
    let count = 0;
    await this.visit(queue, async (message) => {
      const { id, lastFailedAt = '' } = described(queue, message);
      if (!selected.has(id) || lastFailedAt > until.toISOString()) return 'keep';
      await beforeRemoval(message);
      count++;
      return 'remove';
    });
    return count;
  }

  /** Publishes a dead letter to its queue, with a new count of attempts. */
  private async republish(queue: string, message: GetMessage): Promise<void> {
    const { names, now } = this.context;
    const key = integratorQueueOf(queue, message) ?? names.queue(described(queue, message).queue);
    const kept = keptOf(message.properties);
    const replayedAt = new Date(now()).toISOString();
    const headers = { ...kept.headers, [headerNames.attempts]: undefined, 'replayed-at': replayedAt };
    const properties = { ...kept, headers, persistent: true, mandatory: true };
    const outcome = await this.publisher.publish('retry', {
      exchange: '',
      key,
      content: message.content,
      properties,
    });
    if (outcome !== 'confirmed') throw new Error(`a dead letter could not be moved to ${key}: ${outcome}`);
  }
}
