import { crashProcess } from './crash-process';

afterEach(() => jest.useRealTimers());

test('throws the error uncaught, after the caller has continued', () => {
  jest.useFakeTimers();
  const reason = new Error('it hangs');
  crashProcess(reason);
  expect(() => jest.runAllTimers()).toThrow(reason);
});
