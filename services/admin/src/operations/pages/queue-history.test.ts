import { silentLog } from '@receipts/testing';
import { readHistories } from './queue-history';

const history = { queue: 'ingest.commands', unfinished: 0, perSecond: { in: 0, out: 0 }, minutes: [] };

test.each([
  ['without the setting', undefined, 'BROKER_MANAGEMENT_URL is missing'],
  ['if nobody answers', () => Promise.reject(new Error('refused')), 'does not respond'],
  ['if RabbitMQ collects nothing', () => Promise.resolve([history]), 'has no statistics yet'],
])('the pages say why the last hour is not known %s', async (_, queueHistories, why) => {
  expect(await readHistories({ queueHistories, log: silentLog })).toEqual({
    why: expect.stringContaining(why),
  });
});

test('the last hour is known as soon as one queue has statistics', async () => {
  const known = [history, { ...history, minutes: [{ at: 0, in: 1, out: 1, messages: 0 }] }];
  expect(await readHistories({ queueHistories: () => Promise.resolve(known), log: silentLog })).toEqual({
    known,
  });
});
