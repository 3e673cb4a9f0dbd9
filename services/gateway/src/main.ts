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
import { tracedRequests } from './http/request-span';
import { requestMetrics } from './request-metrics';
import { preparePages, startService } from './service';

const settings = readGatewaySettings();
const certificate = certificateOf(settings);
const version = packageVersion(__dirname);

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
      credentialsRefreshMs: settings.CREDENTIALS_REFRESH_MS,
      backlog: {
        messagesMax: settings.BACKLOG_MESSAGES_MAX,
        secondsMax: settings.BACKLOG_SECONDS_MAX,
        outboxSecondsMax: settings.OUTBOX_SECONDS_MAX,
      },
      http: {
        operatorToken: settings.OPERATOR_TOKEN,
        sizes: {
          queryBytesMax: settings.QUERY_BYTES_MAX,
          headerBytesMax: settings.HEADER_BYTES_MAX,
          headersBytesMax: settings.HEADERS_BYTES_MAX,
          headerCountMax: settings.HEADER_COUNT_MAX,
          bodyBytesMax: settings.BODY_BYTES_MAX,
          attachmentBytesMax: settings.ATTACHMENT_BYTES_MAX,
        },
        rates: {
          readsPerSecond: settings.READS_PER_SECOND,
          writesPerSecond: settings.WRITES_PER_SECOND,
          burstSeconds: settings.RATE_BURST_SECONDS,
        },
        bodies: {
          bytesMax: settings.BODIES_BYTES_MAX,
          callerBytesMax: settings.CALLER_BODIES_BYTES_MAX,
        },
        admission: {
          requestsMax: settings.REQUESTS_IN_PROGRESS_MAX,
          loopLagMsMax: settings.LOOP_LAG_MS_MAX,
        },
        times: {
          headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
          requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
          keepAliveMs: settings.KEEP_ALIVE_MS,
          answerTimeoutMs: settings.ANSWER_TIMEOUT_MS,
          answerDelayMsMax: settings.ANSWER_DELAY_MS_MAX,
        },
        connectionsMax: settings.CONNECTIONS_MAX,
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
