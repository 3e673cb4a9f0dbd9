import { randomUUID } from 'node:crypto';
import type { Channel } from 'amqplib';
import { firstSuccess, resolvesWithin } from '@receipts/concurrency';
import { Addresses } from './addresses';
import { noBytes } from './message/envelope';
import type { BrokerContext } from './topology/broker-context';
import { acceptsMessages, leaderTryMs, probeType } from './topology/probe-queue';
import { privateQueue, pulseQueue, unreadQueue, type QueueSet } from './topology/queues';
import { openConnection, type Connection, type Traffic } from './connection/connection';
import { SupervisedChannel } from './connection/supervised-channel';
import type { SupervisedConnection } from './connection/supervised-connection';

const everyMs = 1_000;
const renewAfterMs = 1_700;
const silentMaxMs = 2_500;
const otherOpensMaxMs = 1_500;
/** Long enough for the queue to elect another leader if the silent node was its leader. */
const otherAnswersMaxMs = 6_000;
/** A connection that moves this much data between two pulses is busy: the response may be behind megabytes of it. */
const busyBytesMin = 64 * 1024;
const properties = { type: probeType, expiration: silentMaxMs };

/** One of the two connections, and when it last showed that it works. */
class Watched {
  connection: Connection | undefined;
  private aliveAt = 0;
  private traffic: Traffic | undefined;

  constructor(private readonly supervised: SupervisedConnection) {}

  get silentMs(): number {
    return this.connection === undefined ? 0 : performance.now() - this.aliveAt;
  }

  get isSilent(): boolean {
    return this.silentMs > silentMaxMs;
  }

  /** @param excused whether the connection could not show anything since the last look */
  look(excused: boolean): void {
    const { current } = this.supervised;
    const [before, traffic] = [this.traffic, current?.traffic];
    if (excused || current !== this.connection || isBusy(before, traffic)) this.aliveAt = performance.now();
    this.connection = current;
    this.traffic = traffic;
  }

  responded(connection: Connection | undefined): void {
    if (connection === this.connection) this.aliveAt = performance.now();
  }
}

async function declare(channel: Channel, { main }: QueueSet): Promise<void> {
  const { name, durable, exclusive, arguments: args } = main;
  await channel.assertQueue(name, { durable, exclusive, autoDelete: exclusive, arguments: args });
}

function isBusy(before: Traffic | undefined, now: Traffic | undefined): boolean {
  if (!before || !now) return false;
  const sent = now.isSending ? now.sent - before.sent : 0;
  return now.received - before.received + sent >= busyBytesMin;
}

/**
 * Gives up on a connection that no longer reaches the whole broker, so that the next address is used. A node that is
 * cut off from its cluster goes on answering, and a network may drop packets, so only a message that took the whole way
 * counts: a quorum queue must confirm it to the publishing connection, and another must arrive on the consuming
 * connection. A message that is late does not suffice, because a busy broker is not a dead one: another connection must
 * have done the same in the meantime.
 */
export class Pulse {
  private readonly publishing: Watched;
  private readonly consuming: Watched;
  private readonly sender: SupervisedChannel;
  private readonly echoes: SupervisedChannel;
  private readonly queue: string;
  private readonly addresses: Addresses;
  private echoQueue = '';
  private lastBeatAt = performance.now();
  private isComparing = false;
  /** True from the renewal of the sender until the connection responds. */
  private isRenewed = false;
  private opening: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param url the URL of the broker, with all its addresses */
  constructor(
    private readonly context: BrokerContext,
    url: string,
  ) {
    const { names, service, publishing, consuming } = context;
    this.addresses = new Addresses(url);
    this.queue = names.queue(pulseQueue(service));
    this.publishing = new Watched(publishing);
    this.consuming = new Watched(consuming);
    this.sender = new SupervisedChannel(publishing, {
      name: 'pulse',
      confirms: true,
      setup: (channel) => declare(channel, unreadQueue(this.queue)),
    });
    this.echoes = new SupervisedChannel(consuming, {
      name: 'echo',
      setup: async (channel) => {
        const { current } = consuming;
        this.echoQueue = await this.openEcho(channel, () => this.consuming.responded(current));
      },
    });
  }

  /** Begins later, so that a process that only connects once declares nothing. */
  start(): void {
    this.timer = setInterval(() => this.beat(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async open(): Promise<void> {
    const { publishing, consuming, log } = this.context;
    try {
      await Promise.all([publishing.open(this.sender), consuming.open(this.echoes)]);
    } catch (error) {
      log.error('connections that do not work are not noticed, because the broker refuses a queue', {
        error,
      });
    }
  }

  /** Declares and consumes a queue that ends with its connection. Returns its name. */
  private async openEcho(channel: Channel, arrived: () => void): Promise<string> {
    const { names, service } = this.context;
    const queue = names.queue(`${service}.echo.${randomUUID()}`);
    await declare(channel, privateQueue(queue, []));
    await channel.consume(queue, arrived, { noAck: true });
    return queue;
  }

  private beat(): void {
    this.opening ??= this.open();
    const isLate = performance.now() - this.lastBeatAt > 2 * everyMs;
    this.lastBeatAt = performance.now();
    // A process that was held up itself may not have read a response yet. A broker that has blocked a connection does
    // not read from it.
    const isExcused = isLate || this.context.publishing.current?.isBlocked === true;
    this.publishing.look(isExcused);
    this.consuming.look(isExcused || this.publishing.isSilent);
    if (this.sender.channel && !isExcused) this.send();
    // A channel that is new to a queue learns of its next leader only after 10 s, but another channel finds it at once.
    // Only one is tried, because a busy broker needs time to respond on it.
    const isLateNow = this.publishing.silentMs > renewAfterMs;
    if (isLateNow && !this.isRenewed) void this.sender.renew();
    this.isRenewed = isLateNow;
    if (this.publishing.isSilent) void this.compare(this.publishing);
    else if (this.consuming.isSilent) void this.compare(this.consuming);
  }

  private send(): void {
    const { connection } = this.publishing;
    const message = { exchange: '', content: noBytes, properties };
    this.sender.publish({ ...message, key: this.queue }, (error) => {
      if (!error) this.publishing.responded(connection);
    });
    if (this.echoes.channel) this.sender.publish({ ...message, key: this.echoQueue });
  }

  /** Gives up on a silent connection if the broker responds on another. */
  private async compare(watched: Watched): Promise<void> {
    const { connection } = watched;
    if (this.isComparing || !connection) return;
    this.isComparing = true;
    const { addresses } = this;
    if (addresses.current === connection.address) addresses.next();
    const answersOthers = await this.answersAt(addresses.current);
    this.isComparing = false;
    if (!answersOthers) addresses.next();
    if (!answersOthers || !watched.isSilent || watched.connection !== connection) return;
    this.giveUp(connection);
    // The consuming connection cannot show that it works while the publishing connection does not.
    const { connection: other } = this.consuming;
    if (watched === this.publishing && other?.address === connection.address) this.giveUp(other);
  }

  private giveUp(connection: Connection): void {
    const why = 'a connection is not responding although the broker responds on others; closing it';
    this.context.log.error(why, { connection: connection.name });
    connection.destroy();
  }

  /** True if a new connection can do what both connections must do. */
  private async answersAt(address: string): Promise<boolean> {
    const opening = openConnection(address, `${this.context.service} probe`);
    const isOpen = await resolvesWithin(otherOpensMaxMs, opening);
    const answering = opening.then((other) => this.tryOther(other));
    answering.catch(() => {});
    return isOpen && resolvesWithin(otherAnswersMaxMs, answering);
  }

  /** Resolves with true when a message has come back, and with false if the connection is lost. */
  private async echo(other: Connection): Promise<boolean> {
    if (other.isLost) return false;
    return other.withChannel(async (channel) => {
      let arrived = () => {};
      const echo = new Promise<void>((resolve) => (arrived = resolve));
      channel.sendToQueue(await this.openEcho(channel, arrived), noBytes, properties);
      await Promise.race([echo, other.lost]);
      return true;
    });
  }

  /** Closes the connection afterwards. @throws Error if the connection or the broker does not respond */
  private async tryOther(other: Connection): Promise<void> {
    try {
      // It does not exist yet if the connection stopped responding before its first pulse.
      await other.withChannel((channel) => declare(channel, unreadQueue(this.queue)));
      if (!(await acceptsMessages(other, this.queue, properties))) throw new Error('there is no confirm');
      const echoes = firstSuccess(leaderTryMs, otherAnswersMaxMs, () => this.echo(other));
      if (!(await Promise.race([echoes, other.lost]))) throw new Error('there is no echo');
    } finally {
      await other.close();
    }
  }
}
