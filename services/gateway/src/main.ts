import { runService, sealer, traceOf } from '@receipts/host';
import { idAllotter } from '@receipts/kernel';
import { httpOptionsOf, readGatewaySettings } from './config';
import { tracedRequests } from './http/request-span';
import { requestMetrics } from './request-metrics';
import { preparePages, startService } from './service';

const settings = readGatewaySettings();

runService({
  name: 'gateway',
  mainFolder: __dirname,
  settings,
  async start(host) {
    const { broker, log, metrics, tracing, work } = host;
    const observe = requestMetrics(metrics);
    const seals = sealer(settings.MASTER_KEY);
    const gateway = await startService({
      broker,
      log,
      pages: preparePages(host.version, settings.PUBLIC_BASE_PATH),
      ids: idAllotter(settings.ID_SECRET),
      openSeal: (sealed) => seals.open(sealed),
      port: settings.PORT,
      host: settings.HOST,
      backlogMessagesMax: settings.MAX_BACKLOG_MESSAGES,
      ...httpOptionsOf(settings),
      traceOf: tracing ? tracedRequests(tracing) : traceOf,
      observe(route, method, status, seconds) {
        work.note(status);
        observe(route, method, status, seconds);
      },
      isDraining: () => host.draining,
      loopLagMs: () => host.loopLagMs,
    });
    return {
      announce: { port: gateway.port },
      checks: { credentials: () => gateway.isReady },
      stop: (graceMs) => gateway.stop(graceMs),
    };
  },
});
