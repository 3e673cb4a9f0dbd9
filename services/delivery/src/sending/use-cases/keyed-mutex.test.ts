import { KeyedMutex } from './keyed-mutex';

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

it('delays only work with the same key, and is not blocked by a failure', async () => {
  const turns = new KeyedMutex();
  const log: string[] = [];
  const first = gate();
  const failing = turns.run(['a', 'b'], async () => {
    log.push('first begins');
    await first.opened;
    log.push('first fails');
    throw new Error('failed');
  });
  const second = turns.run(['b', 'c'], async () => void log.push('second'));
  await turns.run(['d'], async () => void log.push('other'));
  first.open();
  await expect(failing).rejects.toThrow('failed');
  await second;
  expect(log).toEqual(['first begins', 'other', 'first fails', 'second']);
});

it('does not deadlock if keys are locked in different orders', async () => {
  const turns = new KeyedMutex();
  const done = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      turns.run(i % 2 === 0 ? ['a', 'b', 'a'] : ['b', 'a'], () => Promise.resolve(i)),
    ),
  );
  expect(done).toHaveLength(50);
});
