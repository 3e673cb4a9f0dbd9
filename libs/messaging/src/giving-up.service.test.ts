import { crashProcess } from '@receipts/kernel';
import { sharedRabbit } from '@receipts/testing';
import { quietLog, sumsContracts } from '../test/sums';
import { connectBroker } from '.';
import { commandConsumer } from './inbound/command-consumer';
import { EventSubscriber } from './inbound/event-subscriber';
import type { Serving } from './inbound/queue-consumer';
import { RpcServer } from './inbound/rpc-server';

jest.mock('@receipts/kernel', () => ({
  ...jest.requireActual<object>('@receipts/kernel'),
  crashProcess: jest.fn(),
}));
jest.mock('./inbound/command-consumer');
jest.mock('./inbound/event-subscriber');
jest.mock('./inbound/rpc-server', () => ({
  ...jest.requireActual<object>('./inbound/rpc-server'),
  RpcServer: jest.fn(),
}));

const consumer = { start: () => Promise.resolve(), close: () => Promise.resolve() };
const reason = new Error('the handlers did not finish in time');
let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
beforeAll(async () => {
  rabbit = await sharedRabbit();
});
afterAll(() => rabbit?.dispose());
beforeEach(() => {
  jest.mocked(crashProcess).mockClear();
  for (const create of [RpcServer, commandConsumer, EventSubscriber] as jest.Mock[])
    create.mockReset().mockReturnValue(consumer);
});

/** The functions that consumers call when they cannot continue. */
async function givenUp() {
  const broker = await connectBroker({ url: rabbit.url, service: 'test', log: quietLog() });
  const { owner, contracts } = sumsContracts();
  await broker.serve({ owner, contracts, handlers: {} as never });
  await broker.subscribe({} as never);
  const created = [RpcServer, commandConsumer, EventSubscriber] as jest.Mock[];
  const servings = created.map((create) => create.mock.calls[0]?.[0] as Serving);
  return { broker, giveUps: servings.map(({ giveUp }) => giveUp) };
}

test('ends the process if handlers hang, for commands and for events, unless the broker is closed', async () => {
  const { broker, giveUps } = await givenUp();
  for (const giveUp of giveUps) giveUp(reason);
  expect(jest.mocked(crashProcess).mock.calls).toEqual([[reason], [reason], [reason]]);
  await broker.close();
  for (const giveUp of giveUps) giveUp(reason);
  expect(crashProcess).toHaveBeenCalledTimes(3);
});
