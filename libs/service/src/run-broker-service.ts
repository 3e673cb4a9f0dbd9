import {
  brokerAccess,
  reportInstance,
  runService,
  stopInOrder,
  type brokerSettings,
  type CommonSettings,
  type Host,
  type InstanceReporting,
  type Running,
  type ServiceOptions,
  type Settings,
  type StopStep,
} from '@receipts/host';
import { connectBroker, type Broker } from '@receipts/messaging';
import { messagingMetrics } from './messaging-metrics';

const serviceStopMs = 9_000;
const reportStopMs = 500;
const brokerStopMs = 2_000;
const brokerGraceMs = 1_000;

interface RunningWithBroker extends Running, Pick<InstanceReporting, 'outbox'> {
  /** Stopped after the broker. */
  readonly database?: StopStep;
}

interface BrokerServiceOptions extends Omit<ServiceOptions, 'start'> {
  readonly settings: CommonSettings & Settings<typeof brokerSettings>;
  /** Starts the service itself. The broker stays connected until it has stopped. */
  start(connecting: Promise<Broker>, host: Host): Promise<RunningWithBroker>;
}

/** Runs a service as this process: connects the broker, starts the service, and stops in reverse order. */
export function runBrokerService(options: BrokerServiceOptions): void {
  const { name: service, version, settings } = options;
  runService({
    ...{ name: service, version, settings },
    async start(host) {
      const { log, metrics, health, tracing, work } = host;
      const connecting = connectBroker({
        ...{ ...brokerAccess(settings), service, log, tracing },
        metrics: messagingMetrics(metrics, work),
      });
      const running = await options.start(connecting, host);
      const broker = await connecting;
      const reporting = reportInstance({
        ...{ service, version, work, log, outbox: running.outbox },
        publish: (events) => broker.publish(events),
        loopLagMs: () => host.loopLagMs,
      });
      health.addCheck('broker', () => broker.state === 'up');
      return {
        ...running,
        stop: () =>
          stopInOrder(log, [
            { name: 'report', timeoutMs: reportStopMs, stop: () => reporting.stop() },
            { name: 'service', timeoutMs: serviceStopMs, stop: () => running.stop() },
            { name: 'broker', timeoutMs: brokerStopMs, stop: () => broker.close({ graceMs: brokerGraceMs }) },
            ...(running.database ? [running.database] : []),
          ]),
      };
    },
  });
}
