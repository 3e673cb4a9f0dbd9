import {
  brokerAccess,
  messagingMetrics,
  packageVersion,
  reportInstance,
  WorkTally,
  runService,
  sealer,
  stopInOrder,
  traceOf,
} from '@receipts/host';
import { idAllotter } from '@receipts/kernel';
import { connectBroker } from '@receipts/messaging';
import { httpOptionsOf, readGatewaySettings } from './config';
import { backlogTimes } from './http/upstream';
import { tracedRequests } from './http/request-span';
import { requestMetrics } from './request-metrics';
import { preparePages, startService } from './service';

const settings = readGatewaySettings();
const version = packageVersion(__dirname);

/** Changes to credentials arrive as events. Rereading all credentials makes up for lost events. */
const credentialsRefreshMs = 300_000;

/** The part of the shutdown time that is reserved for requests in progress. */
const requestsGraceMs = 8_000;

runService({
  name: 'gateway',
  version,
  settings,
  async start(host) {
    const { log, metrics, health, tracing } = host;
    const service = 'gateway';
    const connecting = connectBroker({
      ...brokerAccess(settings),
      service,
      log,
      metrics: messagingMetrics(metrics),
      tracing,
    });
    const pages = preparePages(version, settings.PUBLIC_BASE_PATH);
    const broker = await connecting;
    const work = new WorkTally();
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
      backlog: {
        messagesMax: settings.MAX_BACKLOG_MESSAGES,
        ...backlogTimes,
      },
      http: {
        ...httpOptionsOf(settings),
        traceOf: tracing ? tracedRequests(tracing) : traceOf,
        observe(route, method, status, seconds) {
          work.note(status);
          observe(route, method, status, seconds);
        },
        isDraining: () => host.draining,
        loopLagMs: () => host.loopLagMs,
      },
    });
    const reporting = reportInstance({
      service,
      version,
      publish: (events) => broker.publish(events),
      loopLagMs: () => host.loopLagMs,
      work,
      log,
    });
    health.addCheck('broker', () => broker.state === 'up');
    health.addCheck('credentials', () => gateway.isReady);
    return {
      announce: { port: gateway.port },
      stop: () =>
        stopInOrder(log, [
          { name: 'report', timeoutMs: 500, stop: () => reporting.stop() },
          { name: 'requests', timeoutMs: requestsGraceMs + 1_000, stop: () => gateway.stop(requestsGraceMs) },
          { name: 'broker', timeoutMs: 3_000, stop: () => broker.close({ graceMs: 1_000 }) },
        ]),
    };
  },
});
