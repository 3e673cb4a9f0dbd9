import { nextTurn, ScanTurns } from './next-turn';

test('continues one scan per event loop turn, in the order in which they paused', async () => {
  const turns = new ScanTurns();
  const slices: string[] = [];
  const scan = async (name: string): Promise<void> => {
    for (let n = 0; n < 3; n++) {
      await turns.next();
      slices.push(name);
    }
  };
  const scans = Promise.all(['a', 'b', 'c'].map(scan));
  for (let turn = 1; turn <= 9; turn++) {
    await nextTurn();
    expect(slices.length).toBeLessThanOrEqual(turn);
  }
  await scans;
  expect(slices.join('')).toBe('abcabcabc');
});
