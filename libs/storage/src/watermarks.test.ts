import { silentLog } from '@receipts/testing';
import { Watermarks } from './watermarks';

test('forgets the watermarks of old sequences', () => {
  const watermarks = new Watermarks({
    collection: {} as never,
    initial: () => 0,
    log: silentLog,
  });
  for (let n = 0; n <= 100_000; n++) watermarks.begin(`sequence ${n}`);
  const isKnown = (n: number) => watermarks.isCompleted(`sequence ${n}`, 0);
  expect([isKnown(0), isKnown(1), isKnown(100_000)]).toEqual([false, true, true]);
});
