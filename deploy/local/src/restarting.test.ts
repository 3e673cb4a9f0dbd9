import { startAgain } from './restarting';

describe('startAgain', () => {
  it('retries until the process runs, and reports each attempt', async () => {
    const said: string[] = [];
    let tries = 0;
    const start = async () => {
      if (++tries === 1) throw new Error('RabbitMQ: not yet\nwith a log');
    };
    await startAgain(
      { name: 'RabbitMQ', start, isOver: () => false, say: (line) => said.push(line) },
      'SIGKILL',
    );
    expect(said).toEqual([
      'RabbitMQ ended unexpectedly (SIGKILL) and is being restarted',
      'RabbitMQ: not yet',
      'RabbitMQ is running again',
    ]);
  });

  it('makes the first attempt immediately, because everything else may be waiting for the process', async () => {
    jest.useFakeTimers();
    try {
      const start = jest.fn(() => Promise.resolve());
      void startAgain({ name: 'RabbitMQ', start, isOver: () => false, say: () => {} }, 'SIGKILL');
      await jest.advanceTimersByTimeAsync(0);
      expect(start).toHaveBeenCalled();
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not restart a process after a stop', async () => {
    const start = jest.fn();
    await startAgain({ name: 'MongoDB', start, isOver: () => true, say: () => {} }, '1');
    expect(start).not.toHaveBeenCalled();
  });
});
