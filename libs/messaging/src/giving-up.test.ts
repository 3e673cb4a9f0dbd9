import { crashProcess } from '@receipts/kernel';
import { sharedRabbit } from '@receipts/testing';
import { quietLog, sumsContracts } from '../test/sums';
import { connectBroker, type BrokerOptions } from '.';
import { serve } from './inbound/serve';
import type { Serving } from './inbound/queue-consumer';
import { subscribe } from './inbound/subscribe';

jest.mock('@receipts/kernel', () => ({
  ...jest.requireActual<object>('@receipts/kernel'),
  crashProcess: jest.fn(),
}));
jest.mock('./inbound/serve', () => ({
  ...jest.requireActual<object>('./inbound/serve'),
  serve: jest.fn(),
}));
jest.mock('./inbound/subscribe', () => ({ subscribe: jest.fn() }));

const consumer = { close: () => Promise.resolve() };
const reason = new Error('the handlers do not end');
let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
beforeAll(async () => {
  rabbit = await sharedRabbit();
}, 60_000);
afterAll(() => rabbit?.dispose());
beforeEach(() => {
  jest.mocked(crashProcess).mockClear();
  for (const start of [serve, subscribe])
    jest
      .mocked(start)
      .mockReset()
      .mockResolvedValue(consumer as never);
});

/** The function that a consumer calls when it cannot continue. */
async function givenUp(more: Partial<BrokerOptions> = {}) {
  const broker = await connectBroker({ url: rabbit.url, service: 'test', log: quietLog(), ...more });
  const { owner, contracts } = sumsContracts();
  await broker.serve({ owner, contracts, handlers: {} as never });
  await broker.subscribe({} as never);
  const servings = [serve, subscribe].map((start) => jest.mocked(start).mock.calls[0]?.[0] as Serving);
  return { broker, giveUps: servings.map(({ giveUp }) => giveUp) };
}

test('handlers that hang end the process, for commands and for events, unless the broker is closed', async () => {
  const { broker, giveUps } = await givenUp();
  for (const giveUp of giveUps) giveUp(reason);
  expect(jest.mocked(crashProcess).mock.calls).toEqual([[reason], [reason]]);
  await broker.close();
  for (const giveUp of giveUps) giveUp(reason);
  expect(crashProcess).toHaveBeenCalledTimes(2);
});

test('or call the given function instead', async () => {
  const own = jest.fn();
  const { broker, giveUps } = await givenUp({ giveUp: own });
  for (const giveUp of giveUps) giveUp(reason);
  expect(own.mock.calls).toEqual([[reason], [reason]]);
  expect(crashProcess).not.toHaveBeenCalled();
  await broker.close();
});
