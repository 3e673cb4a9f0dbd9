/** The platform of an installation that has not named it. */
export const platformDefault = 'receipts';

/**
 * What the platform's queues and exchanges are called at the broker: its own name comes first, so that several platforms share
 * one broker without seeing each other. Elsewhere queues go by their names without it.
 */
export class Names {
  /** Public: integrators subscribe here. Routing key = type of the event. */
  readonly events: string;
  /** For our own services: batches of events of one type. Routing key = type. */
  readonly facts: string;
  /** Confirmed commands go through here; a queue is bound once it is old enough to be trusted. */
  readonly commands: string;
  /** Its arguments say whose platform this is. */
  readonly installation: string;
  /** Holds the name of every queue that has a parking place, one message each. */
  readonly registry: string;
  /** True for the platform that existed before platforms had names: its command queues had none either. */
  readonly isFirst: boolean;
  readonly #prefix: string;

  constructor(platform: string = platformDefault) {
    this.#prefix = `${platform}.`;
    this.isFirst = platform === platformDefault;
    this.events = this.queue('events');
    this.facts = this.queue('facts');
    this.commands = this.queue('commands');
    this.installation = this.queue('installation');
    this.registry = this.queue('parked-queues');
  }

  /** The queue's name at the broker. */
  queue(name: string): string {
    return this.#prefix + name;
  }

  /** The queue's name among ourselves. */
  own(queue: string): string {
    return queue.startsWith(this.#prefix) ? queue.slice(this.#prefix.length) : queue;
  }
}
