import { oncePerTurn, backoffMs, pause, resolvesWithin, within } from '@receipts/concurrency';
import type { Log } from '@receipts/kernel';
import { Addresses } from '../addresses';
import type { BrokerState } from '../reporting/metrics';
import { openConnection, type Connection, PrefixTakenError } from './connection';
import type { SupervisedChannel } from './supervised-channel';

/** How long connecting to a node and declaring the exchanges may take. */
const timeouts = { connectMs: 5_000, setupMs: 60_000 };
/** The same while there are other nodes to try: one that is frozen or cut off may accept connections. */
const timeoutsOfNode = { connectMs: 2_000, setupMs: 5_000 };
/** How long a new connection waits for its channels. Some queues may be on a node that does not respond. */
const channelsWaitMs = 1_000;
const reconnectDelayMinMs = 100;
/** Short, because everything waits for the connection, and a refused attempt costs the broker nothing. */
const reconnectDelayMaxMs = 500;
const startTimeoutMs = 60_000;
/** How long calls wait for a connection that is being replaced; after this time, the broker counts as unavailable. */
const reconnectWaitMaxMs = 1_500;

export interface SupervisedConnectionOptions {
  /** May list the nodes of a cluster. One is used until it fails. */
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Log;
  /** Declares what the channels of this connection need. It may only use AMQP. */
  readonly setup: (connection: Connection) => Promise<void>;
}

/** A supervised connection, which is reopened with all its channels until it is closed. */
export class SupervisedConnection {
  private readonly options: SupervisedConnectionOptions;
  private readonly addresses: Addresses;
  private readonly channels = new Set<SupervisedChannel>();
  private readonly listeners = new Set<() => void>();
  current: Connection | undefined;
  private isClosed = false;
  /** True until the channels of a new connection are open, except those that take long. */
  private isConnecting = false;
  /** When the last connection was lost, on the monotonic clock. */
  private lostAt = performance.now();

  readonly log: Log;

  constructor(options: SupervisedConnectionOptions) {
    this.options = options;
    this.log = options.log;
    this.addresses = new Addresses(options.url);
  }

  get state(): BrokerState {
    if (!this.current || this.isConnecting) return 'down';
    return this.current.isBlocked ? 'blocked' : 'up';
  }

  /** False if calls need not wait, because the broker blocks them, or has been unreachable for too long. */
  get isWorthWaiting(): boolean {
    if (this.isClosed || this.state === 'blocked') return false;
    return this.state === 'up' || performance.now() - this.lostAt < reconnectWaitMaxMs;
  }

  /** Called whenever the state (up, blocked, down) or a channel changes. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** @throws Error if it cannot connect to the broker within a minute */
  async start(): Promise<void> {
    await this.connectUntilUp(Date.now() + startTimeoutMs);
  }

  /**
   * Opens a channel, and reopens it whenever it or the connection is lost.
   * @throws Error if the broker rejects the channel although the connection is up
   */
  async open(channel: SupervisedChannel): Promise<void> {
    this.channels.add(channel);
    const connection = this.current;
    if (!connection) return this.untilOpen(channel);
    try {
      await channel.open(connection);
    } catch (error) {
      if (isRefusal(error)) {
        this.channels.delete(channel);
        throw error;
      }
      void channel.reopen(connection);
      await this.untilOpen(channel);
    }
  }

  async remove(channel: SupervisedChannel): Promise<void> {
    this.channels.delete(channel);
    await channel.close();
  }

  /** Closes the channels first, so that everything already written is processed, then the connection. */
  async close(): Promise<void> {
    this.isClosed = true;
    const connection = this.current;
    await Promise.all([...this.channels].map((channel) => channel.close()));
    await connection?.close();
    this.current = undefined;
    this.changed();
  }

  private untilOpen(channel: SupervisedChannel): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!channel.current && !this.isClosed) return;
        stop();
        resolve();
      };
      const stop = this.onChange(look);
      look();
    });
  }

  private async connectUntilUp(giveUpAt: number): Promise<void> {
    const { log, name } = this.options;
    this.isConnecting = true;
    for (let attempt = 0; !this.isClosed; attempt++) {
      try {
        return await this.connectOnce(attempt);
      } catch (error) {
        this.addresses.next();
        if (attempt === 0 || attempt % 10 === 9) {
          log.warn('could not connect to the broker', { connection: name, attempt, error });
        }
        // A retry cannot help if the prefix is taken.
        if (error instanceof PrefixTakenError || Date.now() > giveUpAt) throw error;
      }
      // Full jitter, so that processes do not reconnect at the same time.
      await pause(Math.random() * backoffMs(attempt, reconnectDelayMinMs, reconnectDelayMaxMs));
    }
  }

  private async connectOnce(attempt: number): Promise<void> {
    const { name, setup, log } = this.options;
    const isLast = attempt >= this.addresses.count - 1;
    const { connectMs, setupMs } = isLast ? timeouts : timeoutsOfNode;
    const connection = await openConnection(this.addresses.current, name, connectMs);
    const { model } = connection;
    model.on('blocked', () => this.blockChanged(connection));
    model.on('unblocked', () => this.blockChanged(connection));
    model.on('close', () => this.lost(connection));
    try {
      const isSetUp = Promise.race([connection.lost, setup(connection)]);
      await within(setupMs, 'setting up the connection', isSetUp);
      if (connection.isLost) await connection.lost;
    } catch (error) {
      connection.destroy();
      throw connection.fault ?? error;
    }
    if (this.isClosed) return connection.destroy();
    this.current = connection;
    const tried = [...this.channels].map((channel) => channel.openOrRetry(connection));
    await resolvesWithin(channelsWaitMs, Promise.all(tried));
    if (this.isClosed) return;
    if (connection.isLost) await connection.lost;
    this.isConnecting = false;
    log.info('connected to the broker', { connection: name });
    this.changed();
  }

  private blockChanged(connection: Connection): void {
    if (connection !== this.current) return;
    const what = connection.isBlocked ? 'the broker blocks publishers' : 'the broker accepts messages again';
    this.log.warn(what, { connection: this.options.name });
    this.changed();
  }

  private lost(connection: Connection): void {
    if (connection !== this.current) return;
    this.current = undefined;
    // `connectUntilUp` connects again, to another address.
    if (this.isConnecting) return;
    this.addresses.next();
    this.lostAt = performance.now();
    this.changed();
    if (this.isClosed) return;
    const { log, name } = this.options;
    log.warn('the connection to the broker was lost', { connection: name, error: connection.fault });
    void this.connectUntilUp(Infinity);
  }
}

/** AMQP's codes for requests that the broker will never accept, such as a queue with other arguments. */
const refusalCodes: ReadonlySet<unknown> = new Set([403, 406, 530]);

/** True if a retry is useless. Everything else may be over later: a lost connection, a time-out, a queue without a leader. */
function isRefusal(error: unknown): boolean {
  return refusalCodes.has((error as { code?: unknown }).code);
}

/** The common state of the connections of one broker client. */
export class BrokerStatus {
  private readonly connections: readonly [SupervisedConnection, SupervisedConnection];
  private readonly upListeners = new Set<() => void>();
  private lastState: BrokerState = 'down';
  /** Calls the listeners once for all consumers, which reconnect at nearly the same time. */
  readonly announceUp = oncePerTurn(() => {
    if (this.lastState !== 'down') for (const listener of this.upListeners) listener();
  });

  constructor(
    publishing: SupervisedConnection,
    consuming: SupervisedConnection,
    changed: (state: BrokerState) => void,
  ) {
    this.connections = [publishing, consuming];
    for (const connection of this.connections) connection.onChange(() => this.update(changed));
  }

  get state(): BrokerState {
    return this.lastState;
  }

  onConnected(listener: () => void): () => void {
    this.upListeners.add(listener);
    return () => void this.upListeners.delete(listener);
  }

  private update(changed: (state: BrokerState) => void): void {
    const [publishing, consuming] = this.connections;
    const before = this.lastState;
    this.lastState = consuming.state === 'down' ? 'down' : publishing.state;
    if (this.lastState === before) return;
    changed(this.lastState);
    if (before === 'down') this.announceUp();
  }
}
