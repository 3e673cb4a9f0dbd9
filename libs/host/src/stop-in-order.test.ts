import { createLogger } from './logger';
import { stopInOrder } from './stop-in-order';

describe('stopping in order', () => {
  test('continues after a step that fails or hangs', async () => {
    const stopped: string[] = [];
    const lines: string[] = [];
    const log = createLogger({ service: 'test', level: 'error', write: (line) => lines.push(line) });
    await stopInOrder(log, [
      { name: 'http', timeoutMs: 1_000, stop: () => stopped.push('http') },
      { name: 'consumers', timeoutMs: 1_000, stop: () => Promise.reject(new Error('lost')) },
      { name: 'broker', timeoutMs: 30, stop: () => new Promise(() => undefined) },
      { name: 'database', timeoutMs: 1_000, stop: () => stopped.push('database') },
    ]);
    expect(stopped).toEqual(['http', 'database']);
    expect(lines).toHaveLength(2);
  });
});
