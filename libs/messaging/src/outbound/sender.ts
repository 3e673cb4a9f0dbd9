import type { ServiceError, Call, Contract } from '@receipts/kernel';
import { Admission, unavailableError } from './admission';
import { Collector } from './collector';
import type { ConfirmedPublisher } from './confirmed-publisher';
import { DeadlineWatch } from './deadline-watch';
import { packEnvelope } from '../message/envelope';
import type { Link } from '../connection/link';
import type { MessagingMetrics, PublishOutcome } from '../reporting/metrics';
import { Flight, Outgoing, type RawRequest } from './outgoing';
import type { Names } from '../topology/names';
import { propertiesOf } from '../message/properties';
import { commandQueue } from '../topology/queues';

class Command extends Outgoing {
  constructor(
    id: number,
    contract: Contract,
    request: RawRequest,
    call: Call,
    watch: DeadlineWatch,
    private readonly end: (command: Command, failure: ServiceError | undefined) => void,
  ) {
    super(id, contract, request, call, watch);
  }

  finish(failure: ServiceError | undefined): void {
    if (this.settle()) this.end(this, failure);
  }

  /** The message was lost, or not: it goes out once more. */
  again(): void {
    this.flight?.itemDone();
    this.flight = undefined;
  }

  expire(): void {
    this.finish(unavailableError('no confirm before the deadline'));
  }
}

export interface SenderOptions {
  readonly names: Names;
  readonly link: Link;
  readonly publisher: ConfirmedPublisher;
  readonly service: string;
  readonly metrics: MessagingMetrics;
  readonly now: () => number;
}

/** Confirmed commands: persistent, mandatory, and done once the broker has them safe. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #watch: DeadlineWatch;
  readonly #admission: Admission;
  readonly #commands = new Set<Command>();
  readonly #collectors = new Map<string, Collector<Command>>();
  #lastId = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#watch = new DeadlineWatch(options.now);
    this.#admission = new Admission(options.link, () => options.publisher.slot, options.now);
    options.link.onChange(() => this.#linkChanged());
  }

  /** @throws ServiceError 503 `unavailable` when the broker does not have it safe before the deadline; it may have it all the same. */
  send(contract: Contract, request: RawRequest, call: Call): Promise<void> {
    return new Promise((resolve, reject) => {
      if (call.deadline <= this.#options.now()) throw unavailableError('the deadline has passed');
      const end = (command: Command, failure: ServiceError | undefined) => {
        this.#commands.delete(command);
        this.#admission.leave(command.body.length);
        if (failure) reject(failure);
        else resolve();
      };
      this.#admission.enter(request.body?.length ?? 0);
      const command = new Command(++this.#lastId, contract, request, call, this.#watch, end);
      this.#commands.add(command);
      this.#collector(contract.owner).add(command);
    });
  }

  #collector(owner: string): Collector<Command> {
    let collector = this.#collectors.get(owner);
    if (!collector) {
      collector = new Collector(
        (commands) => this.#publish(owner, commands),
        () => this.#admission.canWrite,
      );
      this.#collectors.set(owner, collector);
    }
    return collector;
  }

  #publish(owner: string, commands: readonly Command[]): void {
    const { names, publisher, service, metrics, now } = this.#options;
    const collector = this.#collector(owner);
    const flight = new Flight(commands.length, () => collector.messageDone());
    for (const command of commands) command.flight = flight;
    const publication = {
      kind: 'command' as const,
      exchange: names.commands,
      key: names.queue(commandQueue(owner)),
      content: packEnvelope(commands),
      properties: { ...propertiesOf(commands, service, now()), persistent: true, mandatory: true },
    };
    metrics.published?.('command', publication.key, commands.length);
    publisher.publishThen(publication, (outcome) => this.#answered(collector, commands, outcome));
  }

  #answered(collector: Collector<Command>, commands: readonly Command[], outcome: PublishOutcome): void {
    for (const command of commands) {
      if (command.settled) continue;
      if (outcome === 'confirmed') command.finish(undefined);
      else if (outcome === 'returned')
        command.finish(unavailableError(`nobody serves ${command.contract.name}`));
      else if (outcome === 'unknown' && this.#admission.isWorthWaiting) {
        // The broker may have it or not. Whoever handles it twice knows it by the id of the call.
        command.again();
        collector.add(command);
      } else command.finish(unavailableError(`the broker has not confirmed: ${outcome}`));
    }
  }

  #linkChanged(): void {
    if (this.#admission.canWrite) for (const collector of this.#collectors.values()) collector.resume();
    else if (this.#options.link.state === 'blocked') this.#failAll('the broker is blocked');
    else if (!this.#admission.isOpen) this.#failLater();
  }

  #failAll(why: string): void {
    for (const command of this.#commands) command.finish(unavailableError(why));
  }

  #failLater(): void {
    const { waitUntil } = this.#admission;
    if (waitUntil === undefined) return;
    const ms = Math.max(0, waitUntil - this.#options.now());
    setTimeout(() => {
      if (!this.#admission.isOpen) this.#failAll('the broker is down');
    }, ms).unref();
  }
}
