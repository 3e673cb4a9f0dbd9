#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { Names } from './topology/names';
import { deadLetters, type DeadLetters } from './inbound/dead-letters';
import { sessionsOf } from './connection/session';

/**
 * Lists, shows, replays and discards dead letters: `AMQP_URL=... node libs/messaging/dist/dead-letters-cli.js
 * <command>`.
 */
const usage = `Usage (the broker's address is in AMQP_URL, the platform's name in RESOURCE_PREFIX):
  dead-letters list                                  queues that have a dead-letter queue, with their dead letters
  dead-letters list <queue> [--count n] [--after id] dead letters from a queue
  dead-letters show <queue> <id>                     one message with its content
  dead-letters replay <queue> <id>... | --all        sends messages back to their queue
  dead-letters discard <queue> <id>... | --all       removes messages for good
`;

const countAllMax = 10_000;

class UsageError extends Error {}

const options = {
  count: { type: 'string' },
  after: { type: 'string' },
  all: { type: 'boolean', default: false },
} as const;

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function idsOf(ids: readonly string[], all: boolean): readonly string[] | 'all' {
  if (all) return 'all';
  if (ids.length === 0) throw new UsageError('name the messages, or say --all');
  return ids;
}

async function overview(deadLetters: DeadLetters): Promise<unknown> {
  const queues = await deadLetters.queues();
  const counted: { queue: string; dead_letters: number }[] = [];
  for (const queue of queues) {
    counted.push({ queue, dead_letters: (await deadLetters.list(queue, { count: countAllMax })).length });
  }
  return counted;
}

/**
 * Runs one command and returns its output.
 * @throws UsageError when the command is invalid
 */
export async function runDeadLetters(deadLetters: DeadLetters, args: readonly string[]): Promise<unknown> {
  const {
    positionals: [command, queue, ...ids],
    values: { count, after, all },
  } = parsed(args);
  if (command === 'list' && queue === undefined) return overview(deadLetters);
  if (queue === undefined) throw new UsageError('name a command and a queue');
  if (command === 'list') {
    return deadLetters.list(queue, {
      ...(after !== undefined && { afterId: after }),
      ...(count !== undefined && { count: Number(count) }),
    });
  }
  if (command === 'show' && ids[0] !== undefined) {
    return (await deadLetters.show(queue, ids[0])) ?? { error: 'there is no such dead letter' };
  }
  if (command === 'replay') return { replayed: await deadLetters.replay(queue, idsOf(ids, all)) };
  if (command === 'discard') return { discarded: await deadLetters.discard(queue, idsOf(ids, all)) };
  throw new UsageError(`unknown command ${String(command)}`);
}

async function main(): Promise<void> {
  const url = process.env['AMQP_URL'];
  if (url === undefined) throw new UsageError('AMQP_URL is not set');
  const letters = deadLetters(
    new Names(process.env['RESOURCE_PREFIX'] || undefined),
    sessionsOf(url, 'dead-letters'),
    Date.now,
  );
  process.stdout.write(`${JSON.stringify(await runDeadLetters(letters, process.argv.slice(2)), null, 2)}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}\n${error instanceof UsageError ? usage : ''}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}
