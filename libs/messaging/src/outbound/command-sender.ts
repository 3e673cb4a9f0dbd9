import type { Call, Contract, Tracing } from '@receipts/kernel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import { packEnvelope } from '../message/envelope';
import { propertiesOf } from '../message/properties';
import type { RawRequest } from '../message/request';
import type { MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import { commandQueue } from '../topology/queues';
import type { TopologyNames } from '../topology/topology-names';
import type { ConfirmedPublisher } from './confirmed-publisher';
import { OutboundCalls, type PendingRequest } from './outbound-calls';

export interface CommandSenderOptions {
  readonly names: TopologyNames;
  readonly connection: SupervisedConnection;
  readonly publisher: ConfirmedPublisher;
  readonly service: string;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => number;
}

/** Sends confirmed commands: persistent, mandatory, and done once the broker has confirmed them. */
export class CommandSender {
  readonly #options: CommandSenderOptions;
  readonly #calls: OutboundCalls<void>;

  constructor(options: CommandSenderOptions) {
    const { names, connection, now, publisher, tracing } = options;
    this.#options = options;
    this.#calls = new OutboundCalls({
      ...{ connection, now, tracing, exchange: names.commands, awaited: 'confirm' },
      channel: publisher.channel,
      publish: (queue, commands) => this.#publish(queue, commands),
    });
  }

  /**
   * @throws ServiceError 503 `unavailable` without a confirm before the deadline; the broker may have the command
   * even then
   */
  send(contract: Contract, request: RawRequest, call: Call): Promise<void> {
    const queue = this.#options.names.queue(commandQueue(contract.owner));
    return this.#calls.submit(queue, contract, request, call);
  }

  #publish(queue: string, commands: readonly PendingRequest<void>[]): void {
    const { names, publisher, service, metrics, now } = this.#options;
    const publication = {
      kind: 'command' as const,
      exchange: names.commands,
      key: queue,
      content: packEnvelope(commands),
      properties: { ...propertiesOf(commands, service, now()), persistent: true, mandatory: true },
    };
    metrics.published?.('command', queue, commands.length);
    publisher.publishThen(publication, (outcome) => {
      for (const command of commands) if (!command.isSettled) this.#settle(command, outcome);
    });
  }

  #settle(command: PendingRequest<void>, outcome: PublishOutcome): void {
    if (outcome === 'confirmed') this.#calls.settle(command, undefined);
    else if (outcome === 'returned') this.#calls.fail(command, `nobody serves ${command.contract.name}`);
    // The broker may or may not have the message. The owner recognizes a duplicate by the call id.
    else if (outcome !== 'unknown' || !this.#calls.sendAgain(command))
      this.#calls.fail(command, `the broker has not confirmed: ${outcome}`);
  }
}
