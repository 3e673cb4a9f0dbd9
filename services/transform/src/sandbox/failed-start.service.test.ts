import { spawn } from 'node:child_process';
import * as launching from './launch';
import { Sandbox } from './sandbox';

jest.mock('./launch', () => {
  const actual = jest.requireActual<typeof launching>('./launch');
  return { ...actual, launch: jest.fn(actual.launch) };
});

afterEach(() => jest.restoreAllMocks());

test('a job whose process fails to start runs in the next process, even if a timer fires slightly early', async () => {
  const endsAtOnce = () =>
    spawn(process.execPath, ['-e', ''], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  jest.mocked(launching.launch).mockImplementationOnce(endsAtOnce);
  const stopClock = () => jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const sandbox = new Sandbox({ processesMax: 1, onKilled: stopClock });
  const rules = { decode: { type: 'text' }, transform: { language: 'jsonata', expression: '{}' } } as const;
  try {
    expect(await sandbox.run({ retailer: 'acme', mapping: 'a mapping', rules })).toEqual({ json: '[]' });
  } finally {
    sandbox.stop();
  }
});
