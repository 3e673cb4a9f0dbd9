import { randomUUID } from 'node:crypto';
import type { Channel } from 'amqplib';
import { pause, within } from '@receipts/concurrency';
import { addressesIn } from './addresses';
import { noBytes } from './message/envelope';
import type { BrokerContext } from './topology/broker-context';
import { acceptsMessages, probeType } from './topology/probe-queue';
import { privateQueue, pulseQueue, unreadQueue } from './topology/queues';
import { declareQueue } from './topology/topology';
import { openConnection, type Connection, type Traffic } from './connection/connection';
import { SupervisedChannel } from './connection/supervised-channel';
import type { SupervisedConnection } from './connection/supervised-connection';
import { ConfirmedPublisher } from './outbound/confirmed-publisher';

const everyMs = 1_000;
const silentMaxMs = 2_500;
const otherOpensMaxMs = 1_500;
/** How long a connection may take to show that it works after all. A new channel needs milliseconds. */
const lastChanceMs = 1_000;
/** A connection that moves this much data between two pulses is busy: the response may be behind megabytes of it. */
const busyBytesMin = 64 * 1024;
const refused = 'connections that do not work are not noticed, because the broker refuses a queue';
const properties = { type: probeType, expiration: silentMaxMs };

/** One of the two connections, and when it last showed that it works. */
class Watched {
  connection: Connection | undefined;
  isComparing = false;
  private aliveAt = 0;
  private traffic: Traffic | undefined;

  constructor(private readonly supervised: SupervisedConnection) {}

  get isSilent(): boolean {
    return this.connection !== undefined && performance.now() - this.aliveAt > silentMaxMs;
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

function isBusy(before: Traffic | undefined, now: Traffic | undefined): boolean {
  if (!before || !now) return false;
  const sent = now.isSending ? now.sent - before.sent : 0;
  return now.received - before.received + sent >= busyBytesMin;
}

/**
 * Gives up on a connection that no longer reaches the whole broker, so that the next address is used. A node that is
 * cut off from its cluster goes on answering, and a network may drop packets, so only a message that took the whole way
 * counts: a quorum queue must confirm it to the publishing connection, and another must arrive on the consuming
 * connection, which must not publish, because the broker would block it as well when its memory is full. A message that
 * is late does not suffice, because a busy broker is not a dead one: another connection must have done better in the
 * meantime, and then a last message must be missing.
 */
export class Pulse {
  private readonly publishing: Watched;
  private readonly consuming: Watched;
  private readonly sender: ConfirmedPublisher;
  private readonly echoes: SupervisedChannel;
  private readonly queue: string;
  private readonly addresses: readonly string[];
  private echoQueue = '';
  private lastBeatAt = performance.now();
  private opening: Promise<void> | undefined;
  /** The connection on which the queue was last declared. */
  private declaredOn: Connection | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param url the URL of the broker, with all its addresses */
  constructor(
    private readonly context: BrokerContext,
    url: string,
  ) {
    const { names, service, publishing, consuming } = context;
    this.addresses = addressesIn(url);
    this.queue = names.queue(pulseQueue(service));
    this.publishing = new Watched(publishing);
    this.consuming = new Watched(consuming);
    this.sender = new ConfirmedPublisher(context, {
      name: 'pulse',
      // The queue may have another leader, which a channel that is new to the queue learns only after 10 s.
      probed: (connection) => this.publishing.responded(connection),
    });
    this.echoes = new SupervisedChannel(consuming, {
      name: 'echo',
      setup: (channel) => this.openEcho(channel),
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
    const { consuming, log } = this.context;
    try {
      await Promise.all([this.sender.start(), consuming.open(this.echoes)]);
    } catch (error) {
      log.error(refused, { error });
    }
  }

  /** Declares and consumes a queue that ends with its connection. */
  private async openEcho(channel: Channel): Promise<void> {
    const { names, service, consuming } = this.context;
    const { current } = consuming;
    this.echoQueue = names.queue(`${service}.echo.${randomUUID()}`);
    await declareQueue(channel, privateQueue(this.echoQueue, []).main);
    await channel.consume(this.echoQueue, () => this.consuming.responded(current), { noAck: true });
  }

  private beat(): void {
    this.opening ??= this.open();
    const isLate = performance.now() - this.lastBeatAt > 2 * everyMs;
    this.lastBeatAt = performance.now();
    // A process that was held up itself may not have read a response yet. A broker that has blocked a connection does
    // not read from it.
    const isExcused = isLate || this.context.publishing.current?.isBlocked === true;
    this.publishing.look(isExcused);
    this.consuming.look(isExcused);
    void this.declareQueue();
    if (!isExcused) this.send();
    if (!this.echoes.current) void this.openAnyChannel();
    if (this.publishing.isSilent) void this.compare(this.publishing);
    if (this.consuming.isSilent) void this.compare(this.consuming, (other) => this.sendEcho(other));
  }

  /**
   * Declares the queue on each new connection, because it may have been lost with the broker's data. Nothing waits for it:
   * that would hang while the leader of the queue is frozen.
   */
  private async declareQueue(): Promise<void> {
    const { connection } = this.publishing;
    if (!connection || connection === this.declaredOn) return;
    this.declaredOn = connection;
    try {
      await connection.withChannel((channel) => declareQueue(channel, unreadQueue(this.queue).main));
    } catch (error) {
      if (!connection.isLost) this.context.log.error(refused, { error });
    }
  }

  private send(): void {
    const { channel } = this.sender;
    if (!channel.current) return;
    const { connection } = this.publishing;
    const message = { exchange: '', content: noBytes, properties };
    void this.sender.publish('pulse', { ...message, key: this.queue }).then((outcome) => {
      if (outcome === 'confirmed') this.publishing.responded(connection);
    });
    // Its arrival is what counts, not its confirm, which is missing while the node of the consuming connection is away.
    if (this.echoes.current) channel.publish({ ...message, key: this.echoQueue });
  }

  /** Without a queue for echoes, the consuming connection can only show that its node responds. */
  private async openAnyChannel(): Promise<void> {
    const { connection } = this.consuming;
    await connection?.withChannel(async () => this.consuming.responded(connection)).catch(() => {});
  }

  /**
   * Gives up on a silent connection if the broker responds on another, and it still does not.
   * @param lastChance waits for its response
   */
  private async compare(
    watched: Watched,
    lastChance: (other: Connection) => Promise<void> = () => pause(lastChanceMs),
  ): Promise<void> {
    const { connection } = watched;
    if (watched.isComparing || !connection) return;
    watched.isComparing = true;
    const others = this.addresses.filter((address) => address !== connection.address);
    const tried = others.length > 0 ? others : this.addresses;
    const isSilent = () => watched.isSilent && watched.connection === connection;
    const overtaken = Promise.any(tried.map((address) => this.tryOther(address, isSilent, lastChance)));
    const isOvertaken = await overtaken.catch(() => false);
    watched.isComparing = false;
    if (isOvertaken && isSilent()) this.giveUp(connection);
  }

  private giveUp(connection: Connection): void {
    const why = 'a connection is not responding although the broker responds on others; closing it';
    this.context.log.error(why, { connection: connection.name });
    connection.destroy();
  }

  /**
   * Whether a connection is still silent after another has reached the queue.
   * @throws Error if the other does not reach it either
   */
  private async tryOther(
    address: string,
    isSilent: () => boolean,
    lastChance: (other: Connection) => Promise<void>,
  ): Promise<boolean> {
    const opening = openConnection(address, `${this.context.service} probe`);
    opening.catch(() => {});
    try {
      const other = await within(otherOpensMaxMs, 'opening another connection', opening);
      if (!(await acceptsMessages(other, this.queue, properties))) throw new Error('there is no confirm');
      await lastChance(other);
      return isSilent();
    } finally {
      void opening.then((other) => other.close()).catch(() => {});
    }
  }

  /** Sends the message that the consuming connection must receive, which may have missed those of the publishing one. */
  private async sendEcho(other: Connection): Promise<void> {
    // The channel ends with its connection: its own end would hang, because the queue is on the node that does not respond.
    const channel = await other.model.createChannel();
    channel.on('error', () => {});
    channel.sendToQueue(this.echoQueue, noBytes, properties);
    await pause(lastChanceMs);
  }
}
