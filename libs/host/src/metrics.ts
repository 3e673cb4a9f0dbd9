import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricDeclaration {
  /**
   * snake_case with the unit at the end, as Prometheus recommends: `receipts_created_total`,
   * `http_request_duration_seconds`.
   */
  readonly name: string;
  readonly help: string;
  /** Names of labels. A label must have few values, so it must never be an id. */
  readonly labels?: readonly string[];
}

/** The metrics of one process. Declaring a name again returns the existing metric. */
export interface Metrics {
  counter(declaration: MetricDeclaration): Counter;
  /** @param declaration `buckets` are upper bounds in the unit of the name */
  histogram(declaration: MetricDeclaration & { readonly buckets?: readonly number[] }): Histogram;
  /** @param declaration `collect` sets the value at each scrape */
  gauge(
    declaration: MetricDeclaration & { readonly collect?: (gauge: Gauge) => void | Promise<void> },
  ): Gauge;
  /** The text that Prometheus scrapes. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** In seconds, from a fast reply of another service to the longest timeout of a request. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * How often the delay of the event loop is sampled. At the default of 10 ms, sampling takes a third of the CPU time
 * of an idle service; relevant delays are much longer than this.
 */
const loopSampleMs = 50;

/** Creates the metrics of a process, all with the label `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });

  function once<T>(name: string, make: () => T): T {
    return (registry.getSingleMetric(name) as T | undefined) ?? make();
  }
  const base = ({ name, help, labels = [] }: MetricDeclaration) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  return {
    counter: (declaration) => once(declaration.name, () => new Counter(base(declaration))),
    histogram: (declaration) =>
      once(
        declaration.name,
        () => new Histogram({ ...base(declaration), buckets: [...(declaration.buckets ?? secondsBuckets)] }),
      ),
    gauge: (declaration) =>
      once(declaration.name, () => {
        const { collect } = declaration;
        return new Gauge({
          ...base(declaration),
          ...(collect && {
            collect(this: Gauge) {
              return collect(this);
            },
          }),
        });
      }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
