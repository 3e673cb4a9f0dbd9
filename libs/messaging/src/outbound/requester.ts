import type { ConsumeMessage, Message } from 'amqplib';
import { ServiceError, type Call, type Contract, type Tracing } from '@receipts/kernel';
import { Dispatch } from './dispatch';
import { packEnvelope, unpackEnvelope, type ReplyHeader, type RequestHeader } from '../message/envelope';
import type { Link } from '../connection/link';
import { faultFields, type Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import type { Outgoing, RawRequest } from './outgoing';
import { propertiesOf } from '../message/properties';
import { Slot } from '../connection/slot';
import type { Names } from '../topology/names';
import { rpcQueue } from '../topology/queues';

/** RabbitMQ's direct reply-to, which delivers replies to the channel without a queue. */
const replyTo = 'amq.rabbitmq.reply-to';

/** A reply with an unparsed body. */
export interface RawReply {
  readonly meta?: unknown;
  readonly replayed: boolean;
  /** Empty when the reply has no body. */
  readonly body: Buffer;
}

/** The body of an answer: its bytes where the contract says so, otherwise what they say as JSON. */
export function bodyOf({ output }: Contract, { body }: RawReply): unknown {
  if (output === 'raw') return body;
  return body.length === 0 ? undefined : JSON.parse(body.toString('utf8'));
}

export interface RequesterOptions {
  readonly names: Names;
  readonly link: Link;
  readonly service: string;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => number;
}

/** RPC: sends a request to the owner of a contract and waits for the reply until the call's deadline. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #dispatch: Dispatch<RawReply>;
  #slot: Slot | undefined;

  constructor(options: RequesterOptions) {
    const { link, now, tracing } = options;
    this.#options = options;
    this.#dispatch = new Dispatch({
      ...{ link, now, tracing, exchange: '', awaited: 'answer' },
      slot: () => this.#slot,
      transmit: (queue, questions) => this.#publish(queue, questions),
    });
  }

  async start(): Promise<void> {
    const { link } = this.#options;
    this.#slot = new Slot(link, {
      name: 'rpc',
      setup: async (channel) => {
        channel.on('return', (message) => this.#returned(message));
        await channel.consume(replyTo, (message) => this.#replied(message), { noAck: true });
      },
      // Replies are bound to the requesting channel and are lost with it.
      closed: () => this.#dispatch.failSent('the connection was lost before the answer'),
    });
    await link.open(this.#slot);
  }

  /** @throws ServiceError the owner's refusal, or 503 `unavailable` when there is no reply in time */
  ask(contract: Contract, request: RawRequest, call: Call): Promise<RawReply> {
    const { names, metrics, now } = this.#options;
    const queue = names.queue(rpcQueue(contract.owner, contract.kind));
    const startedAt = now();
    return this.#dispatch.submit(queue, contract, request, call, (status) =>
      metrics.asked?.(contract.name, status, now() - startedAt),
    );
  }

  #publish(queue: string, questions: readonly Outgoing<RawReply>[]): void {
    const { now, service, metrics, log } = this.#options;
    const deadline = Math.max(...questions.map(({ call }) => call.deadline));
    const properties = {
      ...propertiesOf(questions, service, now()),
      replyTo,
      // The broker drops the message after the last deadline, but only when it reaches the head of the queue, so the
      // owner checks each item as well.
      expiration: Math.max(1, deadline - now()),
      mandatory: true,
    };
    try {
      this.#slot?.channel?.publish('', queue, packEnvelope(questions), properties);
      metrics.published?.('request', queue, questions.length);
    } catch (error) {
      log.warn('a request could not be sent', { queue, ...faultFields(error) });
      for (const question of questions) question.settle({ kind: 'failed', why: 'the channel was closed' });
    }
  }

  #replied(message: ConsumeMessage | null): void {
    // The broker cancelled the consumer, so no replies would arrive without a new channel.
    if (!message) return void this.#slot?.renew();
    try {
      for (const { header, body } of unpackEnvelope<ReplyHeader>(message.content)) {
        const { id, meta, replayed = false, error } = header;
        if (error) this.#dispatch.settle(id, { kind: 'refused', error: ServiceError.fromWire(error) });
        else this.#dispatch.settle(id, { kind: 'done', value: { meta, replayed, body } });
      }
    } catch (error) {
      this.#options.log.error('a reply cannot be read', faultFields(error));
    }
  }

  #returned(message: Message): void {
    for (const { header } of unpackEnvelope<RequestHeader>(message.content)) {
      this.#options.metrics.confirmed?.('request', 'returned', 0);
      this.#dispatch.settle(header.id, { kind: 'returned' });
    }
  }
}
