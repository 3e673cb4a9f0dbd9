import { runService } from '@receipts/host';
import { readConfig } from './config';
import { Sandbox } from './sandbox/sandbox';
import { startService } from './service';

const config = readConfig();

runService({
  name: 'transform',
  mainFolder: __dirname,
  settings: config,
  database: true,
  async start({ database, broker, log, metrics }) {
    const postponed = metrics.counter({
      name: 'packets_postponed_total',
      help: 'Packets postponed because their retailer has too much slow work.',
    });
    const kills = metrics.counter({
      name: 'sandbox_kills_total',
      help: 'Sandboxed processes that ended before their work was done.',
      labels: ['reason'],
    });
    const sandbox = new Sandbox({
      processesMax: config.SANDBOX_PROCESSES_MAX,
      onKilled(reason) {
        kills.inc({ reason });
        log.warn('a sandboxed process exited', { reason });
      },
    });
    metrics.gauge({
      name: 'sandbox_waiting_packets',
      help: 'Packets waiting for a sandboxed process.',
      collect: (gauge) => gauge.set(sandbox.facts.waiting),
    });
    const countPostponed = () => postponed.inc();
    const service = await startService({ broker, database, sandbox, log, countPostponed });
    return {
      checks: { sandbox: () => sandbox.facts.canStart },
      async stop(graceMs) {
        await service.stop(graceMs);
        sandbox.stop();
      },
    };
  },
});
