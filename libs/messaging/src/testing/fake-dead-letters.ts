import { nextDestination, reasonOf } from '../inbound/retry-router';
import type { DeadLetters, DeadLetter } from '../inbound/dead-letters';
import type { RequestHeader } from '../message/envelope';
import { commandQueue } from '../topology/queues';

/** A one-way command, and how often it has failed. */
export interface FakeCommand {
  readonly owner: string;
  readonly header: RequestHeader;
  readonly body: Buffer;
  attempts: number;
  firstFailedAt?: string;
}

interface DeadLetterCommand {
  readonly command: FakeCommand;
  readonly shown: DeadLetter;
}

/** Long enough for the first and the last failure to have different times. */
const steps = [{ suffix: 'retry', delayMs: 2 }];

/**
 * The destination of the fake broker's failed commands: they return to their handler or are dead-lettered, following
 * the rules of the real broker.
 */
export class FakeDeadLetters implements DeadLetters {
  private readonly deadLetters = new Map<string, readonly DeadLetterCommand[]>();

  /** @param again passes a command to its handler once more */
  constructor(private readonly again: (command: FakeCommand) => void) {}

  failed(command: FakeCommand, error: unknown): void {
    command.attempts++;
    const lastFailedAt = new Date().toISOString();
    const firstFailedAt = (command.firstFailedAt ??= lastFailedAt);
    const stop = nextDestination(error, command.attempts, 0, steps);
    if (stop !== 'dead-letter') return void setTimeout(() => this.again(command), stop.delayMs);
    const queue = commandQueue(command.owner);
    const { type, call } = command.header;
    const shown: DeadLetter = {
      id: call.id,
      type,
      retailer: call.retailer,
      reason: reasonOf(error),
      attempts: command.attempts,
      firstFailedAt,
      lastFailedAt,
      queue,
      requestId: call.requestId,
      traceId: call.traceparent?.split('-')[1],
    };
    this.deadLetters.set(queue, [...this.of(queue), { command, shown }]);
  }

  count(queue: string): number {
    return this.of(queue).length;
  }

  list(queue: string): Promise<DeadLetter[]> {
    return Promise.resolve(this.of(queue).map(({ shown }) => shown));
  }

  show(queue: string, id: string): ReturnType<DeadLetters['show']> {
    const letter = this.of(queue).find(({ shown }) => shown.id === id);
    if (!letter) return Promise.resolve(undefined);
    const { header, body } = letter.command;
    const content = [{ ...header, body: body.length === 0 ? undefined : JSON.parse(body.toString()) }];
    return Promise.resolve({ ...letter.shown, content });
  }

  replay(queue: string, ids: readonly string[], until: Date): Promise<number> {
    const taken = this.take(queue, ids, until);
    for (const { command } of taken) this.again({ ...command, attempts: 0 });
    return Promise.resolve(taken.length);
  }

  discard(queue: string, ids: readonly string[], until: Date): Promise<number> {
    return Promise.resolve(this.take(queue, ids, until).length);
  }

  private of(queue: string): readonly DeadLetterCommand[] {
    return this.deadLetters.get(queue) ?? [];
  }

  private take(queue: string, ids: readonly string[], until: Date): readonly DeadLetterCommand[] {
    const isMeant = ({ shown: { id, lastFailedAt = '' } }: DeadLetterCommand) =>
      ids.includes(id) && lastFailedAt <= until.toISOString();
    const all = this.of(queue);
    this.deadLetters.set(
      queue,
      all.filter((letter) => !isMeant(letter)),
    );
    return all.filter(isMeant);
  }
}
