import type { ConsumeMessage, Message } from 'amqplib';
import { ServiceError, type Call, type Contract } from '@receipts/kernel';
import { Admission, unavailableError } from './admission';
import { Collector } from './collector';
import { DeadlineWatch } from './deadline-watch';
import { packEnvelope, unpackEnvelope, type ReplyHeader, type RequestHeader } from '../message/envelope';
import type { Link } from '../connection/link';
import { faultFields, type Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import { Flight, Outgoing, type RawRequest } from './outgoing';
import { propertiesOf } from '../message/properties';
import type { Slot } from '../connection/slot';
import type { Names } from '../topology/names';
import { rpcQueue } from '../topology/queues';

/** RabbitMQ's direct reply-to: replies come straight to the channel, without a queue. */
const replyTo = 'amq.rabbitmq.reply-to';

/** An answer of which the body is not yet parsed. */
export interface RawReply {
  readonly meta?: unknown;
  readonly replayed: boolean;
  /** Empty when the answer has no body. */
  readonly body: Buffer;
}

class Question extends Outgoing {
  constructor(
    id: number,
    contract: Contract,
    request: RawRequest,
    call: Call,
    watch: DeadlineWatch,
    private readonly end: (question: Question, outcome: RawReply | ServiceError) => void,
  ) {
    super(id, contract, request, call, watch);
  }

  answer(outcome: RawReply | ServiceError): void {
    if (this.settle()) this.end(this, outcome);
  }

  expire(): void {
    this.answer(unavailableError('no answer before the deadline'));
  }
}

export interface RequesterOptions {
  readonly names: Names;
  readonly link: Link;
  readonly service: string;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly now: () => number;
}

/** RPC: asks the owner of a contract and waits for its answer until the call's deadline. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #watch: DeadlineWatch;
  readonly #admission: Admission;
  readonly #questions = new Map<number, Question>();
  readonly #collectors = new Map<string, Collector<Question>>();
  #slot: Slot | undefined;
  #lastId = 0;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#watch = new DeadlineWatch(options.now);
    this.#admission = new Admission(options.link, () => this.#slot, options.now);
    options.link.onChange(() => this.#linkChanged());
  }

  async start(): Promise<void> {
    this.#slot = await this.#options.link.open({
      name: 'rpc',
      setup: async (channel) => {
        channel.on('return', (message) => this.#returned(message));
        await channel.consume(replyTo, (message) => this.#replied(message), { noAck: true });
      },
      // Replies come to the channel that asked; with it, they are lost.
      closed: () => this.#failSent('the connection was lost before the answer'),
    });
    for (const collector of this.#collectors.values()) collector.resume();
  }

  /** @throws ServiceError: the owner's, or 503 `unavailable` when there is no answer in time. */
  ask(contract: Contract, request: RawRequest, call: Call): Promise<RawReply> {
    const startedAt = this.#options.now();
    return new Promise((resolve, reject) => {
      if (call.deadline <= startedAt) throw unavailableError('the deadline has passed');
      const end = (question: Question, outcome: RawReply | ServiceError) => {
        this.#questions.delete(question.id);
        this.#admission.leave(question.body.length);
        const failed = outcome instanceof ServiceError;
        const ms = this.#options.now() - startedAt;
        this.#options.metrics.asked?.(contract.name, failed ? outcome.status : 200, ms);
        if (failed) reject(outcome);
        else resolve(outcome);
      };
      this.#admission.enter(request.body?.length ?? 0);
      const question = new Question(++this.#lastId, contract, request, call, this.#watch, end);
      this.#questions.set(question.id, question);
      this.#collector(this.#options.names.queue(rpcQueue(contract.owner, contract.kind))).add(question);
    });
  }

  #collector(queue: string): Collector<Question> {
    let collector = this.#collectors.get(queue);
    if (!collector) {
      collector = new Collector(
        (questions) => this.#send(queue, questions),
        () => this.#admission.canWrite,
      );
      this.#collectors.set(queue, collector);
    }
    return collector;
  }

  #send(queue: string, questions: readonly Question[]): void {
    const { now, service, metrics } = this.#options;
    const collector = this.#collector(queue);
    const flight = new Flight(questions.length, () => collector.messageDone());
    let deadline = 0;
    for (const question of questions) {
      question.flight = flight;
      deadline = Math.max(deadline, question.deadline);
    }
    const properties = {
      ...propertiesOf(questions, service, now()),
      replyTo,
      // The broker throws it away once nobody waits; the owner checks each item, because the broker looks at the head only.
      expiration: Math.max(1, deadline - now()),
      mandatory: true,
    };
    try {
      this.#slot?.channel?.publish('', queue, packEnvelope(questions), properties);
      metrics.published?.('request', queue, questions.length);
    } catch (error) {
      this.#options.log.warn('a request could not be sent', { queue, ...faultFields(error) });
      for (const question of questions) question.answer(unavailableError('the channel was closed'));
    }
  }

  #replied(message: ConsumeMessage | null): void {
    // The broker has cancelled the consumer: without it no reply would ever come.
    if (!message) return void this.#slot?.renew();
    try {
      for (const { header, body } of unpackEnvelope<ReplyHeader>(message.content)) {
        const outcome = header.error
          ? ServiceError.fromWire(header.error)
          : { meta: header.meta, replayed: header.replayed ?? false, body };
        this.#questions.get(header.id)?.answer(outcome);
      }
    } catch (error) {
      this.#options.log.error('a reply cannot be read', faultFields(error));
    }
  }

  #returned(message: Message): void {
    for (const { header } of unpackEnvelope<RequestHeader>(message.content)) {
      this.#options.metrics.confirmed?.('request', 'returned', 0);
      this.#questions.get(header.id)?.answer(unavailableError(`nobody serves ${header.type}`));
    }
  }

  #failSent(why: string): void {
    for (const question of this.#questions.values()) {
      if (question.flight) question.answer(unavailableError(why));
    }
  }

  #linkChanged(): void {
    if (this.#admission.canWrite) for (const collector of this.#collectors.values()) collector.resume();
    // Replies cannot pass either, so nobody is kept waiting.
    else if (this.#options.link.state === 'blocked') this.#failAll('the broker is blocked');
    else this.#failUnsentLater();
  }

  #failAll(why: string): void {
    for (const question of this.#questions.values()) question.answer(unavailableError(why));
  }

  #failUnsentLater(): void {
    const { waitUntil } = this.#admission;
    if (waitUntil === undefined) return;
    setTimeout(
      () => {
        if (!this.#admission.isOpen) this.#failAll('the broker is down');
      },
      Math.max(0, waitUntil - this.#options.now()),
    ).unref();
  }
}
