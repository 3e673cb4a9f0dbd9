#!/usr/bin/env node
import { Names } from './topology/names';
import { parkedMessages, type Parked } from './inbound/parked';
import { sessionsOf } from './connection/session';

/** Lists, shows, replays and discards parked messages: `AMQP_URL=... node libs/messaging/dist/parked-cli.js <command>`. */
const usage = `Usage (the broker's address is in AMQP_URL, the platform's name in PLATFORM):
  parked list                                  queues that have a parking place, with their parked messages
  parked list <queue> [--count n] [--after id] messages parked from a queue
  parked show <queue> <id>                     one message with its content
  parked replay <queue> <id>... | --all        sends messages back to their queue
  parked discard <queue> <id>... | --all       removes messages for good
`;

const countAllMax = 10_000;

class UsageError extends Error {}

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

function idsOf(args: readonly string[]): readonly string[] | 'all' {
  if (args.includes('--all')) return 'all';
  if (args.length === 0) throw new UsageError('name the messages, or say --all');
  return args;
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
 * Runs one command and gives what it prints.
 * @throws UsageError when the command is not understood.
 */
export async function runParked(parked: Parked, args: readonly string[]): Promise<unknown> {
  const [command, queue, ...rest] = args;
  if (command === 'list' && queue === undefined) return overview(parked);
  if (queue === undefined) throw new UsageError('name a command and a queue');
  if (command === 'list') {
    const afterId = optionOf(rest, '--after');
    const count = optionOf(rest, '--count');
    return parked.list(queue, {
      ...(afterId !== undefined && { afterId }),
      ...(count !== undefined && { count: Number(count) }),
    });
  }
  if (command === 'show' && rest[0] !== undefined) {
    return (await parked.show(queue, rest[0])) ?? { error: 'there is no such parked message' };
  }
  if (command === 'replay') return { replayed: await parked.replay(queue, idsOf(rest)) };
  if (command === 'discard') return { discarded: await parked.discard(queue, idsOf(rest)) };
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
