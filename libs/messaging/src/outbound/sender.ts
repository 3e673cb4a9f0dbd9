import type { Call, Contract, Tracing } from '@receipts/kernel';
import type { ConfirmedPublisher } from './confirmed-publisher';
import { Dispatch } from './dispatch';
import { packEnvelope } from '../message/envelope';
import type { Link } from '../connection/link';
import type { MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import type { Outgoing, RawRequest } from './outgoing';
import type { Names } from '../topology/names';
import { propertiesOf } from '../message/properties';
import { commandQueue } from '../topology/queues';

export interface SenderOptions {
  readonly names: Names;
  readonly link: Link;
  readonly publisher: ConfirmedPublisher;
  readonly service: string;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => number;
}

/** Sends confirmed commands: persistent, mandatory, and done once the broker has confirmed them. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #dispatch: Dispatch<void>;

  constructor(options: SenderOptions) {
    const { names, link, now, publisher, tracing } = options;
    this.#options = options;
    this.#dispatch = new Dispatch({
      ...{ link, now, tracing, exchange: names.commands, awaited: 'confirm' },
      slot: () => publisher.slot,
      transmit: (queue, commands) => this.#publish(queue, commands),
    });
  }

  /**
   * @throws ServiceError 503 `unavailable` without a confirm before the deadline; the broker may have the command
   * even then
   */
  send(contract: Contract, request: RawRequest, call: Call): Promise<void> {
    const queue = this.#options.names.queue(commandQueue(contract.owner));
    return this.#dispatch.submit(queue, contract, request, call);
  }

  #publish(queue: string, commands: readonly Outgoing<void>[]): void {
    const { names, publisher, service, metrics, now } = this.#options;
    const publication = {
      kind: 'command' as const,
      exchange: names.commands,
      key: queue,
      content: packEnvelope(commands),
      properties: { ...propertiesOf(commands, service, now()), persistent: true, mandatory: true },
    };
    metrics.published?.('command', queue, commands.length);
    publisher.publishThen(publication, (outcome) => this.#answered(queue, commands, outcome));
  }

  #answered(queue: string, commands: readonly Outgoing<void>[], outcome: PublishOutcome): void {
    for (const command of commands) {
      if (command.settled) continue;
      if (outcome === 'confirmed') command.settle({ kind: 'done', value: undefined });
      else if (outcome === 'returned') command.settle({ kind: 'returned' });
      // The broker may or may not have the message. The owner recognizes a duplicate by the call id.
      else if (outcome === 'unknown' && this.#dispatch.sendAgain(queue, command)) continue;
      else command.settle({ kind: 'failed', why: `the broker has not confirmed: ${outcome}` });
    }
  }
}
