import { crashProcess } from './crash-process';

afterEach(() => jest.useRealTimers());

test('throws an uncaught error after the caller has continued', () => {
  jest.useFakeTimers();
  const reason = new Error('it hangs');
  crashProcess(reason);
  expect(() => jest.runAllTimers()).toThrow(reason);
});
