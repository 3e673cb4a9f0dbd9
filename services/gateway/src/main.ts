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
import { certificateOf, readGatewaySettings } from './config';
import { backlogTimes } from './http/backlog';
import { defaultSizeLimits } from './http/limits';
import { burstSeconds } from './http/rate-limits';
import { tracedRequests } from './http/request-span';
import { arrivalTimes } from './http/server';
import { requestMetrics } from './request-metrics';
import { preparePages, startService } from './service';

const settings = readGatewaySettings();
const certificate = certificateOf(settings);
const version = packageVersion(__dirname);

/** Changes of credentials arrive by events. Reading all of them again repairs the loss of one. */
const credentialsRefreshMs = 300_000;

/** The part of a process's time to stop that is given to requests in progress. */
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
        operatorToken: settings.OPERATOR_TOKEN,
        sizes: {
          queryBytesMax: settings.MAX_QUERY_BYTES,
          headerBytesMax: settings.MAX_HEADER_BYTES,
          headersBytesMax: settings.MAX_HEADERS_BYTES,
          headerCountMax: defaultSizeLimits.headerCountMax,
          bodyBytesMax: settings.MAX_BODY_BYTES,
          attachmentBytesMax: settings.MAX_ATTACHMENT_BYTES,
        },
        rates: {
          readsPerSecond: settings.MAX_READS_PER_SECOND,
          writesPerSecond: settings.MAX_WRITES_PER_SECOND,
          burstSeconds,
        },
        bodies: {
          bytesMax: settings.MAX_BUFFERED_BYTES,
          callerBytesMax: settings.MAX_BUFFERED_BYTES / 2,
        },
        requests: {
          requestsMax: settings.MAX_REQUESTS_IN_PROGRESS,
          loopLagMsMax: settings.MAX_EVENT_LOOP_LAG_MS,
        },
        times: {
          ...arrivalTimes,
          keepAliveMs: settings.KEEP_ALIVE_TIMEOUT_MS,
          upstreamTimeoutMs: settings.UPSTREAM_TIMEOUT_MS,
          upstreamLatencyMsMax: settings.MAX_UPSTREAM_LATENCY_MS,
        },
        connectionsMax: settings.MAX_CONNECTIONS,
        basePath: settings.PUBLIC_BASE_PATH,
        certificate,
        httpsOnly: settings.HTTPS_ONLY || certificate !== undefined,
        trustedProxies: settings.TRUSTED_PROXIES,
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
