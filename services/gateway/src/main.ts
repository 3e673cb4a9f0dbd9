import { packageVersion, sealer, traceOf } from '@receipts/host';
import { idAllotter } from '@receipts/kernel';
import { runBrokerService } from '@receipts/service/run-broker-service';
import { httpOptionsOf, readGatewaySettings } from './config';
import { tracedRequests } from './http/request-span';
import { requestMetrics } from './request-metrics';
import { preparePages, startService } from './service';

const settings = readGatewaySettings();
const version = packageVersion(__dirname);

/** Changes to credentials arrive as events. Rereading all credentials makes up for lost events. */
const credentialsRefreshMs = 300_000;

/** The part of the shutdown time that is reserved for requests in progress. */
const requestsGraceMs = 8_000;

runBrokerService({
  name: 'gateway',
  version,
  settings,
  async start(connecting, host) {
    const { log, metrics, health, tracing, work } = host;
    const pages = preparePages(version, settings.PUBLIC_BASE_PATH);
    const broker = await connecting;
    const observe = requestMetrics(metrics);
    const seals = sealer(settings.MASTER_KEY);
    const gateway = await startService({
      broker,
      log,
      pages,
      ids: idAllotter(settings.ID_SECRET),
      openSeal: (sealed) => seals.open(sealed),
      port: settings.PORT,
      host: settings.HOST,
      credentialsRefreshMs,
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
    health.addCheck('credentials', () => gateway.isReady);
    return { announce: { port: gateway.port }, stop: () => gateway.stop(requestsGraceMs) };
  },
});
