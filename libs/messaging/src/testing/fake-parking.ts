import { nextStop, reasonOf } from '../inbound/failures';
import type { Parked, ParkedMessage } from '../inbound/parked';
import type { RequestHeader } from '../message/envelope';
import { commandQueue } from '../topology/queues';

/** A confirmed command, and how often it has failed. */
export interface FakeCommand {
  readonly owner: string;
  readonly header: RequestHeader;
  readonly body: Buffer;
  attempts: number;
  firstFailedAt?: string;
}

interface ParkedCommand {
  readonly command: FakeCommand;
  readonly shown: ParkedMessage;
}

/** Long enough that the first failure and the last have different times. */
const steps = [{ suffix: 'retry', delayMs: 2 }];

/** Where the fake broker's commands go that fail: back to their handler, or aside, by the rules of the real one. */
export class FakeParking implements Parked {
  readonly #parked = new Map<string, readonly ParkedCommand[]>();

  /** @param again hands a command to its handler once more */
  constructor(private readonly again: (command: FakeCommand) => void) {}

  failed(command: FakeCommand, error: unknown): void {
    command.attempts++;
    const lastFailedAt = new Date().toISOString();
    const firstFailedAt = (command.firstFailedAt ??= lastFailedAt);
    const stop = nextStop(error, command.attempts, 0, steps);
    if (stop !== 'park') return void setTimeout(() => this.again(command), stop.delayMs);
    const queue = commandQueue(command.owner);
    const { type, call } = command.header;
    const shown: ParkedMessage = {
      ...{ id: call.id, type, retailer: call.retailer, reason: reasonOf(error), attempts: command.attempts },
      ...{ firstFailedAt, lastFailedAt, queue, requestId: call.requestId },
      traceId: call.traceparent?.split('-')[1],
    };
    this.#parked.set(queue, [...this.#of(queue), { command, shown }]);
  }

  count(queue: string): number {
    return this.#of(queue).length;
  }

  queues(): Promise<string[]> {
    return Promise.resolve([...this.#parked.keys()].sort());
  }

  list(
    queue: string,
    { count = Infinity, afterId }: { readonly count?: number; readonly afterId?: string } = {},
  ): Promise<ParkedMessage[]> {
    const shown = this.#of(queue).map((parked) => parked.shown);
    return Promise.resolve(shown.filter(({ id }) => afterId === undefined || id > afterId).slice(0, count));
  }

  show(queue: string, id: string): ReturnType<Parked['show']> {
    const parked = this.#of(queue).find(({ shown }) => shown.id === id);
    if (!parked) return Promise.resolve(undefined);
    const { header, body } = parked.command;
    const content = [{ ...header, body: body.length === 0 ? undefined : JSON.parse(body.toString()) }];
    return Promise.resolve({ ...parked.shown, content });
  }

  replay(queue: string, ids: readonly string[] | 'all', until?: Date): Promise<number> {
    const taken = this.#take(queue, ids, until);
    for (const { command } of taken) this.again({ ...command, attempts: 0 });
    return Promise.resolve(taken.length);
  }

  discard(queue: string, ids: readonly string[] | 'all', until?: Date): Promise<number> {
    return Promise.resolve(this.#take(queue, ids, until).length);
  }

  #of(queue: string): readonly ParkedCommand[] {
    return this.#parked.get(queue) ?? [];
  }

  #take(queue: string, ids: readonly string[] | 'all', until: Date | undefined): readonly ParkedCommand[] {
    const isMeant = ({ shown: { id, lastFailedAt = '' } }: ParkedCommand) =>
      (ids === 'all' || ids.includes(id)) && !(until && lastFailedAt > until.toISOString());
    const all = this.#of(queue);
    this.#parked.set(
      queue,
      all.filter((parked) => !isMeant(parked)),
    );
    return all.filter(isMeant);
  }
}
