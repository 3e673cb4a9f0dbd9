import { crashProcess } from './crash-process';

afterEach(() => jest.useRealTimers());

test('the reason is thrown where nobody catches it, after whoever gave up has gone on', () => {
  jest.useFakeTimers();
  const reason = new Error('it hangs');
  crashProcess(reason);
  expect(() => jest.runAllTimers()).toThrow(reason);
});
