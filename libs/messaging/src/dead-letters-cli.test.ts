import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { notFound, ServiceError } from '@receipts/kernel';
import { sharedRabbit, until } from '@receipts/testing';
import { callOf, quietLog, sumsContracts } from '../test/sums';
import { commandQueue, connectBroker } from '.';

const program = path.join(__dirname, '..', 'dist', 'dead-letters-cli.js');
const run = promisify(execFile);

test('the command line lists, shows, replays and discards dead letters', async () => {
  const rabbit = await sharedRabbit();
  const broker = await connectBroker({
    url: rabbit.url,
    service: 'sums',
    log: quietLog(),
    newQueueWaitMs: 0,
  });
  const deadLetters = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await run(process.execPath, [program, ...args], {
      env: { ...process.env, AMQP_URL: rabbit.url },
    });
    return JSON.parse(stdout);
  };
  try {
    const { owner, contracts } = sumsContracts();
    const { keep } = contracts;
    let isMended = false;
    let handled = 0;
    await broker.serve({
      owner,
      contracts: { keep },
      handlers: {
        keep: async () => {
          if (!isMended) throw new ServiceError(notFound);
          handled++;
          return {};
        },
      },
    });
    const calls = [callOf(), callOf()];
    for (const call of calls) await broker.send(keep, { body: { n: 4 } }, call);
    const queue = commandQueue(owner);
    await until('both are dead-lettered', async () => (await broker.deadLetters.list(queue)).length === 2);

    expect(await deadLetters('list')).toContainEqual({ queue, dead_letters: 2 });
    expect(await deadLetters('list', queue, '--count', '1')).toMatchObject([
      { id: calls[0]?.id, retailer: 'r-1' },
    ]);
    expect(await deadLetters('show', queue, calls[1]?.id ?? '')).toMatchObject({
      content: [{ body: { n: 4 } }],
    });
    expect(await deadLetters('discard', queue, calls[1]?.id ?? '')).toEqual({ discarded: 1 });
    isMended = true;
    expect(await deadLetters('replay', queue, '--all')).toEqual({ replayed: 1 });
    await until('it is handled', () => handled === 1);
    await expect(deadLetters('dance')).rejects.toMatchObject({ code: 2 });
  } finally {
    await broker.close();
    await rabbit.dispose();
  }
});
