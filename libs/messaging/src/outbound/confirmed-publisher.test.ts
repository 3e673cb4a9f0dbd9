import { confirmingConnection, publishingOn } from '../../test/confirming-connection';
import { ConfirmedPublisher } from './confirmed-publisher';

const message = (exchange: string) => ({
  exchange,
  key: 'receipts.sums.requests',
  content: Buffer.alloc(1),
  properties: { messageId: '1' },
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The outcome of a message, and after which time. */
async function outcomeOf(exchange: string, newChannelsWork: () => boolean, probed?: () => void) {
  const context = publishingOn(confirmingConnection(newChannelsWork));
  const publisher = new ConfirmedPublisher(context, { name: 'test', ...(probed && { probed }) });
  await publisher.start();
  const began = Date.now();
  let found: { outcome: string; ms: number } | undefined;
  void publisher
    .publish('request', message(exchange))
    .then((outcome) => (found = { outcome, ms: Date.now() - began }));
  await jest.advanceTimersByTimeAsync(20_000);
  return found;
}

it('replaces a channel that waits for a leader that another channel does not wait for', async () => {
  let opened = 0;
  const found = await outcomeOf('', () => opened++ > 0);
  expect(found?.outcome).toBe('unknown');
  expect(found?.ms).toBeLessThan(3_000);
});

it('gives a queue that confirms on no channel more time', async () => {
  const found = await outcomeOf('', () => false);
  expect(found?.outcome).toBe('unknown');
  expect(found?.ms).toBeGreaterThanOrEqual(5_000);
});

it('does not look for a queue of an event, which may have any number of them', async () => {
  let opened = 0;
  const found = await outcomeOf('receipts.events', () => opened++ > 0);
  expect(found?.ms).toBeGreaterThanOrEqual(5_000);
});

it('reports that another channel reaches the queue', async () => {
  let opened = 0;
  const probed = jest.fn();
  await outcomeOf('', () => opened++ > 0, probed);
  expect(probed).toHaveBeenCalledTimes(1);
  await outcomeOf('', () => false, probed);
  expect(probed).toHaveBeenCalledTimes(1);
});
