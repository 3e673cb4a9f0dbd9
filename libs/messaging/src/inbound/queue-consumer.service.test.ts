import { connect } from 'amqplib';
import { sharedRabbit, startTcpProxy, until } from '@receipts/testing';
import { connectBroker, rpcQueue } from '..';
import { callOf, quietLog, sumsContracts, sumsHandlers } from '../../test/sums';

test('a consumer that has reconnected goes before one on which the broker still counts', async () => {
  const rabbit = await sharedRabbit();
  const proxy = await startTcpProxy(Number(new URL(rabbit.url).port));
  const { owner, contracts } = sumsContracts();
  const queue = `receipts.${rpcQueue(owner, 'query')}`;
  const log = quietLog();
  const options = { log, newQueueWaitMs: 0 };
  const cut = { ...options, url: `amqp://guest:guest@127.0.0.1:${proxy.port}`, service: 'owner' };
  const caller = await connectBroker({ ...options, url: rabbit.url, service: 'caller' });
  const serving = await connectBroker(cut);
  const control = await connect(rabbit.url);
  try {
    await serving.serve({ owner, contracts, handlers: sumsHandlers });
    // Like a consumer on a frozen node, it takes messages and does nothing.
    const frozen = await control.createChannel();
    await frozen.consume(queue, () => {});
    const before = log.lines.length;
    proxy.cut();
    const isBack = (line: string) => line.includes('connected') && line.includes('owner consumes');
    await until('the owner has a new connection', () => log.lines.slice(before).some(isBack));
    await until('both consume', async () => (await frozen.checkQueue(queue)).consumerCount === 2);
    for (let id = 0; id < 10; id++) {
      const answer = await caller.ask(contracts.find, { params: { id: String(id) } }, callOf(20_000));
      expect(answer.body).toEqual({ id: String(id) });
    }
  } finally {
    await Promise.all([caller.close(), serving.close({ graceMs: 100 }), control.close()]);
    await proxy.close();
    await rabbit.dispose();
  }
});
