import {
  privateQueue,
  quarantineOf,
  retryingQueue,
  retrySteps,
  standbyRequestQueue,
  unreadQueue,
  type QueueDeclaration,
  type QueueSet,
} from './queues';

const declared = (sets: readonly QueueSet[]): readonly QueueDeclaration[] =>
  sets.flatMap(({ main, satellites = [] }) => [main, ...satellites]);

const kept = declared([retryingQueue('sums.commands', retrySteps, []), quarantineOf('sums.commands')]);
const all = [...kept, ...declared([standbyRequestQueue('sums.requests'), unreadQueue('sums.pulse')])];

test.each(all.map((queue) => [queue.name, queue] as const))(
  '%s is replicated and states how often a message may be delivered',
  (_, queue) => {
    expect(queue.durable).toBe(true);
    expect(queue.arguments).toMatchObject({
      'x-queue-type': 'quorum',
      'x-delivery-limit': expect.any(Number),
    });
  },
);

test.each(
  kept.filter(({ name }) => !name.endsWith('.dead-letters')).map((queue) => [queue.name, queue] as const),
)('%s loses no message that is not delivered', (_, queue) => {
  expect(queue.arguments).toMatchObject({
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': expect.stringContaining('sums.commands'),
    'x-dead-letter-strategy': 'at-least-once',
  });
});

test('only a queue that ends with its connection is not replicated', () => {
  expect(privateQueue('mine', []).main).toMatchObject({ exclusive: true, durable: false });
});
