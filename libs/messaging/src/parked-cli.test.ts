import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { notFound, ServiceError } from '@receipts/kernel';
import { sharedRabbit, until } from '@receipts/testing';
import { callOf, quietLog, sumsContracts } from '../test/sums';
import { commandQueue, connectBroker } from '.';

const program = path.join(__dirname, '..', 'dist', 'parked-cli.js');
const run = promisify(execFile);

test('the command line lists, shows, replays and discards parked messages', async () => {
  const rabbit = await sharedRabbit();
  const broker = await connectBroker({
    url: rabbit.url,
    service: 'sums',
    log: quietLog(),
    newQueueWaitMs: 0,
  });
  const parked = async (...args: string[]): Promise<unknown> => {
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
    await until('both are parked', async () => (await broker.parked.list(queue)).length === 2);

    expect(await parked('list')).toContainEqual({ queue, parked: 2 });
    expect(await parked('list', queue, '--count', '1')).toMatchObject([
      { id: calls[0]?.id, retailer: 'r-1' },
    ]);
    expect(await parked('show', queue, calls[1]?.id ?? '')).toMatchObject({ content: [{ body: { n: 4 } }] });
    expect(await parked('discard', queue, calls[1]?.id ?? '')).toEqual({ discarded: 1 });
    isMended = true;
    expect(await parked('replay', queue, '--all')).toEqual({ replayed: 1 });
    await until('it is handled', () => handled === 1);
    await expect(parked('dance')).rejects.toMatchObject({ code: 2 });
  } finally {
    await broker.close();
    await rabbit.dispose();
  }
});
