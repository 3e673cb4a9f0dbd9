#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { Names } from './topology/names';
import { parkedMessages, type Parked } from './inbound/parked';
import { sessionsOf } from './connection/session';

/**
 * Lists, shows, replays and discards parked messages: `AMQP_URL=... node libs/messaging/dist/parked-cli.js
 * <command>`.
 */
const usage = `Usage (the broker's address is in AMQP_URL, the platform's name in PLATFORM):
  parked list                                  queues that have a parking place, with their parked messages
  parked list <queue> [--count n] [--after id] messages parked from a queue
  parked show <queue> <id>                     one message with its content
  parked replay <queue> <id>... | --all        sends messages back to their queue
  parked discard <queue> <id>... | --all       removes messages for good
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

async function overview(parked: Parked): Promise<unknown> {
  const queues = await parked.queues();
  const counted: { queue: string; parked: number }[] = [];
  for (const queue of queues) {
    counted.push({ queue, parked: (await parked.list(queue, { count: countAllMax })).length });
  }
  return counted;
}

/**
 * Runs one command and returns its output.
 * @throws UsageError when the command is invalid
 */
export async function runParked(parked: Parked, args: readonly string[]): Promise<unknown> {
  const {
    positionals: [command, queue, ...ids],
    values: { count, after, all },
  } = parsed(args);
  if (command === 'list' && queue === undefined) return overview(parked);
  if (queue === undefined) throw new UsageError('name a command and a queue');
  if (command === 'list') {
    return parked.list(queue, {
      ...(after !== undefined && { afterId: after }),
      ...(count !== undefined && { count: Number(count) }),
    });
  }
  if (command === 'show' && ids[0] !== undefined) {
    return (await parked.show(queue, ids[0])) ?? { error: 'there is no such parked message' };
  }
  if (command === 'replay') return { replayed: await parked.replay(queue, idsOf(ids, all)) };
  if (command === 'discard') return { discarded: await parked.discard(queue, idsOf(ids, all)) };
  throw new UsageError(`unknown command ${String(command)}`);
}

async function main(): Promise<void> {
  const url = process.env['AMQP_URL'];
  if (url === undefined) throw new UsageError('AMQP_URL is not set');
  const parked = parkedMessages(
    new Names(process.env['PLATFORM'] || undefined),
    sessionsOf(url, 'parked'),
    Date.now,
  );
  process.stdout.write(`${JSON.stringify(await runParked(parked, process.argv.slice(2)), null, 2)}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}\n${error instanceof UsageError ? usage : ''}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}
