import type { ConsumeMessage } from 'amqplib';
import { ServiceError, serviceCall, type Call, type Contract } from '@receipts/kernel';
import { packEnvelope, unpackEnvelope, type ReplyHeader, type RawRequest } from '../message/envelope';
import { presence } from '../message/presence';
import { propertiesOf } from '../message/properties';
import type { PublishOutcome } from '../reporting/metrics';
import type { BrokerContext } from '../topology/broker-context';
import { isStandby, rpcQueue, standbyQueue } from '../topology/queues';
import type { ChannelPlan } from '../connection/supervised-channel';
import { ConfirmedPublisher } from './confirmed-publisher';
import { OutboundCalls, type PendingRequest } from './outbound-calls';
import { RequestRoutes } from './request-routes';

/** RabbitMQ's direct reply-to, which delivers replies to the channel without a queue. */
const replyTo = 'amq.rabbitmq.reply-to';

const presenceMaxMs = 1_000;
/** A request to a standby is repeated this often, because the broker may hand it to a consumer on the node that is away. */
const repeatMs = 1_500;

/** A reply with an unparsed body. */
export interface RawReply {
  readonly meta?: unknown;
  readonly replayed: boolean;
  /** Empty if the reply has no body. */
  readonly body: Buffer;
}

/** The body of a reply: a buffer if the contract's output is raw, otherwise parsed JSON. */
export function parseReplyBody({ output }: Contract, { body }: RawReply): unknown {
  if (output === 'raw') return body;
  return body.length === 0 ? undefined : JSON.parse(body.toString('utf8'));
}

/** RPC: sends a request to the owner of a contract and waits for the reply until the call's deadline. */
export class RpcClient {
  private readonly calls: OutboundCalls<RawReply>;
  private readonly publisher: ConfirmedPublisher;
  /** A channel of their own, because a standby without a leader holds up all that is published on its channel. */
  private readonly standbys: ConfirmedPublisher;
  private readonly routes: RequestRoutes;
  /** The received parts of replies that are not complete, by the id of the reply. */
  private readonly parts = new WeakMap<PendingRequest<RawReply>, Map<string, Buffer[]>>();

  constructor(private readonly context: BrokerContext) {
    // Replies are bound to the requesting channel and are lost with it.
    this.publisher = this.openPublisher('rpc', {
      opened: () => this.routes.recheck(),
      closed: () => {
        const why = 'the connection was lost before the reply';
        for (const request of this.calls.sent((queue) => !isStandby(queue))) this.calls.fail(request, why);
      },
    });
    this.standbys = this.openPublisher('rpc standby', {
      closed: () => {
        for (const request of this.calls.sent(isStandby)) this.calls.resend(request);
      },
    });
    this.calls = new OutboundCalls(context, {
      channelOf: (queue) => this.publisherOf(queue).channel,
      exchange: '',
      awaited: 'answer',
      publish: (queue, requests) => this.publish(queue, requests),
      unanswered: (request, ageMs) => this.unanswered(request, ageMs),
    });
    this.routes = new RequestRoutes({
      log: context.log,
      isServed: (queue) => this.isServed(queue),
      // Their requests are sent to the standby. The owner recognizes a duplicate by the call id.
      left: (queue) => this.publisher.abandon(queue),
    });
  }

  async start(): Promise<void> {
    await Promise.all([this.publisher.start(), this.standbys.start()]);
  }

  /** @throws ServiceError the owner's error, or 503 `unavailable` if there is no reply in time */
  ask(contract: Contract, request: RawRequest, call: Call): Promise<RawReply> {
    const { names, metrics, now } = this.context;
    const queue = names.queue(rpcQueue(contract.owner, contract.kind));
    const startedAt = now();
    return this.calls.submit(this.routes.targetOf(queue), contract, request, call, (status) =>
      metrics.asked?.(contract.name, status, now() - startedAt),
    );
  }

  close(): void {
    this.routes.close();
  }

  private openPublisher(name: string, plan: Pick<ChannelPlan, 'opened' | 'closed'>): ConfirmedPublisher {
    const publisher: ConfirmedPublisher = new ConfirmedPublisher(this.context, {
      ...plan,
      name,
      setup: async (channel) => {
        const received = (message: ConsumeMessage | null) => {
          if (message) this.replied(message);
          // The broker cancelled the consumer, so no replies would arrive without a new channel.
          else void publisher.channel.renew();
        };
        await channel.consume(replyTo, received, { noAck: true });
      },
    });
    return publisher;
  }

  /** The owner recognizes a request that it receives twice by the call id. */
  private unanswered(request: PendingRequest<RawReply>, ageMs: number): void {
    const { queue, contract } = request;
    if (contract === presence) return;
    const target = this.routes.targetOf(queue);
    if (target !== queue || (isStandby(queue) && ageMs >= repeatMs)) this.calls.resend(request, target);
    else if (!isStandby(queue)) void this.routes.check(queue);
  }

  private publisherOf(queue: string): ConfirmedPublisher {
    return isStandby(queue) ? this.standbys : this.publisher;
  }

  /** Whether a process that consumes this queue replies to a request in it. */
  private async isServed(queue: string): Promise<boolean | undefined> {
    const { publishing, service, now } = this.context;
    const call = serviceCall(service, now(), '', presenceMaxMs);
    try {
      await this.calls.submit(queue, presence, {}, call);
      return true;
    } catch {
      return publishing.state === 'up' && this.publisher.channel.current ? false : undefined;
    }
  }

  private publish(queue: string, requests: readonly PendingRequest<RawReply>[]): void {
    const { now, service, metrics } = this.context;
    const deadline = Math.max(...requests.map(({ call }) => call.deadline));
    const properties = {
      ...propertiesOf(requests, service, now()),
      replyTo,
      // The broker drops the message after the last deadline, but only when it reaches the head of the queue, so the
      // owner also checks each item.
      expiration: Math.max(1, deadline - now()),
      mandatory: true,
    };
    metrics.published?.('request', queue, requests.length);
    const content = packEnvelope(requests);
    const message = { exchange: '', key: queue, content, properties, isWatched: !isStandby(queue) };
    const sentIn = requests[0]?.message;
    void this.publisherOf(queue)
      .publish('request', message)
      .then((outcome) => {
        // The reply may come without a confirm, or before it, but not after a refusal.
        if (outcome === 'confirmed') return;
        const waiting = requests.filter((request) => !request.isSettled && request.message === sentIn);
        this.notSent(queue, waiting, outcome);
      });
  }

  /** Sends requests to the standby that their queue has not accepted. */
  private notSent(
    queue: string,
    requests: readonly PendingRequest<RawReply>[],
    outcome: PublishOutcome,
  ): void {
    const why = outcome === 'returned' ? 'is not served' : 'could not be sent';
    const canMove = !isStandby(queue) && this.publisher.channel.current !== undefined;
    for (const request of requests) {
      if (canMove && request.contract !== presence) this.calls.resend(request, standbyQueue(queue));
      else this.calls.fail(request, `${request.contract.name} ${why}`);
    }
    if (canMove) this.routes.leave(queue);
  }

  private replied(message: ConsumeMessage): void {
    try {
      for (const { header, body } of unpackEnvelope<ReplyHeader>(message.content)) {
        const { id, meta, replayed = false, error, parts } = header;
        const request = this.calls.find(id);
        if (!request) continue;
        if (error) this.calls.settle(request, ServiceError.fromWire(error));
        else if (parts === undefined) this.calls.settle(request, undefined, { meta, replayed, body });
        else this.partReplied(request, header, body);
      }
    } catch (error) {
      this.context.log.error('a reply cannot be read', { error });
    }
  }

  private partReplied(request: PendingRequest<RawReply>, header: ReplyHeader, body: Buffer): void {
    const { meta, replayed = false, reply = '', part, parts } = header;
    const replies = this.parts.get(request) ?? new Map<string, Buffer[]>();
    const received = replies.get(reply) ?? [];
    if (received.push(body) - 1 !== part) return this.calls.fail(request, 'a part of the reply was lost');
    this.parts.set(request, replies.set(reply, received));
    if (received.length < (parts ?? 0)) return;
    this.calls.settle(request, undefined, { meta, replayed, body: Buffer.concat(received) });
  }
}
