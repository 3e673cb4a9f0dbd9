import { html, type Html } from '@receipts/html';
import { badge, table } from '../../pages/table';
import { throughputChart } from './chart';
import { countText, numbered, spanText } from './formats';
import { asJson } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { getStatus } from '../use-cases/get-status';
import { getThroughput } from '../use-cases/get-throughput';
import { bodyOf, operatorPage, type BodyOf } from './page';
import { livePart } from './layout';

type Status = BodyOf<'getStatus'>;
type Service = Status['services'][number];

/** The four figures at the top. */
function tiles({ services, queues }: Status, base: string): Html {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const ready = services.filter((service) => service.ready).length;
  const waiting = sum(services.map((each) => each.waiting)) + sum(queues.map((each) => each.messages));
  const deadLetters = sum(queues.map((each) => each.dead_letters));
  const pending = sum(services.map(({ outbox }) => outbox.pending));
  const tile = (label: string, figure: string, isWell: boolean, path?: string) =>
    html`<li class="tile ${isWell ? 'well' : 'unwell'}">
      <span class="figure">${figure}</span>
      ${path === undefined ? html`<span>${label}</span>` : html`<a href="${base}${path}">${label}</a>`}
    </li>`;
  return html`<ul class="tiles">
    ${tile('services ready', `${ready} of ${services.length}`, ready === services.length)}
    ${tile(waiting === 1 ? 'message waiting' : 'messages waiting', countText(waiting), true, '/operator/pages/queues')}
    ${tile(deadLetters === 1 ? 'dead letter' : 'dead letters', countText(deadLetters), deadLetters === 0, '/operator/pages/dead-letters')}
    ${tile(pending === 1 ? 'unpublished event' : 'unpublished events', countText(pending), true)}
  </ul>`;
}

const lateLoopMs = 200;

function stateOf({ ready, processes }: Service): Html {
  if (!ready) return badge('bad', processes.length > 0 ? 'live, not ready' : 'not ready');
  return badge('good', 'ready');
}

function processesOf({ processes }: Service, now: Date): Html {
  if (processes.length === 0) return html`<span class="soft">no reports</span>`;
  return html`<ul class="plain">
    ${processes.map((each) => {
      const up = (now.getTime() - Date.parse(each.started_timestamp)) / 1000;
      const silent = (now.getTime() - Date.parse(each.last_seen_timestamp)) / 1000;
      return html`<li>
        <code>${each.instance.slice(0, 8)}</code> up ${spanText(up)}
        <small
          >version ${each.version}, reported ${spanText(silent)} ago,
          ${
            each.loop_lag_ms > lateLoopMs
              ? badge('warn', `event loop lag ${Math.round(each.loop_lag_ms)} ms`)
              : `event loop lag ${Math.round(each.loop_lag_ms)} ms`
          }</small
        >
      </li>`;
    })}
  </ul>`;
}

const outboxText = ({ pending, oldest_age_seconds: age }: Service['outbox']) =>
  pending === 0 ? '0' : html`${countText(pending)}<small>since ${spanText(age)}</small>`;

const waitingText = ({ waiting, waiting_seconds: seconds }: Service) =>
  waiting === 0 ? '0' : html`${countText(waiting)}<small>since ${spanText(seconds)}</small>`;

/** The data of `GET /operator/status` about services, and of `GET /operator/throughput` about the gateway. */
export function overviewView(status: Status, work: BodyOf<'getThroughput'>, base: string, now: Date): Html {
  const columns = [
    'Service',
    'State',
    'Processes',
    { numbers: 'Requests waiting' },
    { numbers: 'Unpublished events' },
  ];
  const rows = status.services.map((service) => [
    html`<strong>${service.service}</strong
      ><small
        >${numbered(service.instances, 'instance')}${service.versions.length > 1 && ', being updated'}</small
      >`,
    stateOf(service),
    processesOf(service, now),
    waitingText(service),
    outboxText(service.outbox),
  ]);
  const requests = work.services.find(({ service }) => service === 'gateway');
  return html`<h1>Services</h1>
    ${livePart(
      html`${tiles(status, base)}
        <section class="card" aria-labelledby="throughput">
          <h2 id="throughput">Throughput</h2>
          ${throughputChart(requests, work.interval_seconds)}
        </section>
        <section class="card" aria-labelledby="services">
          <h2 id="services">Services and their processes</h2>
          ${table('services', columns, rows)}
        </section>`,
    )}
    ${asJson('/operator/status')} ${asJson('/operator/throughput')}`;
}

export function operationsOverview(operations: Operations): HandlerOf<'operationsOverview'> {
  const { base, now } = operations;
  const status = getStatus(operations);
  const throughput = getThroughput(operations);
  const facts = { title: 'Services', menuPath: '/operator/', isLive: true } as const;
  return operatorPage(operations, facts, async (who) => {
    const work = await bodyOf(throughput, {}, who.call);
    return overviewView(await bodyOf(status, {}, who.call), work, base, now());
  });
}
