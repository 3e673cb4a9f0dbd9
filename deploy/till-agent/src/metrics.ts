import type { StatusOptions } from './agent-status';

type Metric = readonly [name: string, type: 'counter' | 'gauge', help: string, value: number];

function metricsOf({ queue, taker, sender, printer, links }: StatusOptions): Metric[] {
  return [
    ['jobs_taken_total', 'counter', 'Jobs that were stored since the start.', taker.taken],
    ['jobs_sent_total', 'counter', 'Jobs that the platform has accepted since the start.', sender.accepted],
    ['jobs_refused_total', 'counter', 'Jobs that the platform has rejected since the start.', sender.refused],
    ['queue_jobs', 'gauge', 'Jobs that are waiting to be sent.', queue.length],
    [
      'queue_jobs_max',
      'gauge',
      'The number of waiting jobs at which no further jobs are accepted.',
      queue.jobsMax,
    ],
    ['refused_jobs', 'gauge', 'Rejected jobs in the folder refused.', queue.refused.size],
    ['disk_full', 'gauge', '1 while jobs cannot be stored.', queue.diskError === undefined ? 0 : 1],
    ['platform_up', 'gauge', '0 while the platform does not accept jobs.', sender.trouble ? 0 : 1],
    [
      'settings_wrong',
      'gauge',
      '1 while the address, key or secret is wrong.',
      sender.trouble?.cause === 'settings' ? 1 : 0,
    ],
    ...(printer
      ? ([
          [
            'printer_up',
            'gauge',
            '0 while the printer does not accept slips.',
            printer.trouble === undefined ? 1 : 0,
          ],
          ['slips_printed_total', 'counter', 'Slips passed to the printer since the start.', printer.printed],
          ['slips_not_printed_total', 'counter', 'Slips that were not printed in time.', printer.givenUp],
        ] as const)
      : []),
    ...(links ? ([['links', 'gauge', 'Links in stock, for printing QR codes.', links.size]] as const) : []),
  ];
}

/** The metrics in the text format of Prometheus. */
export function prometheusText(options: StatusOptions): string {
  const memory: Metric = [
    'resident_memory_bytes',
    'gauge',
    'Memory of the process.',
    process.memoryUsage.rss(),
  ];
  return [...metricsOf(options), memory]
    .map(([name, type, help, value]) => {
      const full = `till_agent_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${full} ${value}\n`;
    })
    .join('');
}
