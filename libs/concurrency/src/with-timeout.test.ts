import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withTimeout } from './with-timeout';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('aborts after its time limit, regardless of garbage collection', async () => {
  const aborted = new Promise((resolve) => {
    withTimeout(new AbortController().signal, 300).addEventListener('abort', resolve);
  });
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  await aborted;
});

it('aborts with its parent signal', () => {
  const controller = new AbortController();
  const signal = withTimeout(controller.signal, 60_000);
  controller.abort(new Error('enough'));
  expect(signal.reason).toEqual(new Error('enough'));
});
