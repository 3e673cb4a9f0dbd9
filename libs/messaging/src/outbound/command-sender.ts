import type { Call, Contract } from '@receipts/kernel';
import { packEnvelope, type RawRequest } from '../message/envelope';
import { propertiesOf } from '../message/properties';
import type { PublishOutcome } from '../reporting/metrics';
import type { BrokerContext } from '../topology/broker-context';
import { commandQueue } from '../topology/queues';
import type { ConfirmedPublisher } from './confirmed-publisher';
import { OutboundCalls, type PendingRequest } from './outbound-calls';

/** Sends one-way commands: persistent, mandatory, and done once the broker has confirmed them. */
export class CommandSender {
  private readonly calls: OutboundCalls<void>;

  constructor(
    private readonly context: BrokerContext,
    private readonly publisher: ConfirmedPublisher,
  ) {
    this.calls = new OutboundCalls(context, {
      channelOf: () => publisher.channel,
      exchange: context.names.commands,
      awaited: 'confirm',
      publish: (queue, commands) => void this.publish(queue, commands),
    });
  }

  /**
   * @throws ServiceError 503 `unavailable` if there is no confirm before the deadline; even then, the broker may have
   * the command
   * @throws Error if the contract does not declare `oneWay`, so that its owner has no queue for it
   */
  send(contract: Contract, request: RawRequest, call: Call): Promise<void> {
    if (!contract.oneWay) return Promise.reject(new Error(`${contract.name} can only be asked`));
    const queue = this.context.names.queue(commandQueue(contract.owner));
    return this.calls.submit(queue, contract, request, call);
  }

  private async publish(queue: string, commands: readonly PendingRequest<void>[]): Promise<void> {
    const { names, service, metrics, now } = this.context;
    metrics.published?.('command', queue, commands.length);
    const outcome = await this.publisher.publish('command', {
      exchange: names.commands,
      key: queue,
      content: packEnvelope(commands),
      properties: { ...propertiesOf(commands, service, now()), persistent: true, mandatory: true },
    });
    for (const command of commands) if (!command.isSettled) this.settle(command, outcome);
  }

  private settle(command: PendingRequest<void>, outcome: PublishOutcome): void {
    if (outcome === 'confirmed') this.calls.settle(command, undefined);
    else if (outcome === 'returned') this.calls.fail(command, `${command.contract.name} is not served`);
    else if (outcome === 'refused') this.calls.fail(command, 'the broker has rejected the message');
    // The broker may still have the message. The owner recognizes a duplicate by the call id.
    else this.calls.resend(command);
  }
}
