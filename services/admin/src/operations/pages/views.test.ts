import type { Html } from '@receipts/html';
import { auditView } from './audit';
import { niceCeiling, rateText, throughputChart } from './chart';
import { deliveriesView } from './deliveries';
import { packetView } from './packet';
import { packetsView } from './packets';
import { webhooksView } from './webhooks';
import { confirmView, decisionOf } from './decide-dead-letters';
import { numbered, spanText } from './formats';
import { layout } from './layout';
import { overviewView } from './overview';
import { deadLettersView } from './dead-letters';
import { deadLetterView } from './dead-letter';
import { queueView } from './queue';
import { queuesView } from './queues';
import { signInView } from './sign-in';

/** A name that would run a script, close an attribute, or reverse the text if it were not escaped. */
const hostile = `"><script>alert('x')</script>&\u202e`;
const signingIn = { base: '', operatorSignIn: { identity_provider: hostile, emails: [] } };
const now = new Date('2026-05-17T10:00:00.000Z');
const context = { base: '', now, csrf: hostile };

/** The view contains the name, and only as text. */
function expectTame({ text }: Html): void {
  expect(text).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;');
  expect(text).not.toContain('<script');
  expect(text).not.toContain('\u202e');
}

const status = {
  services: [
    {
      service: hostile,
      ready: false,
      instances: 0,
      versions: [hostile],
      waiting: 3,
      waiting_seconds: 61,
      outbox: { pending: 2, oldest_age_seconds: 5 },
      processes: [
        {
          instance: hostile,
          version: hostile,
          started_timestamp: '2026-05-17T09:00:00.000+00:00',
          last_seen_timestamp: '2026-05-17T09:59:57.000+00:00',
          loop_lag_ms: 900,
        },
      ],
    },
  ],
  queues: [{ queue: hostile, messages: 1_200, consumers: 0, waiting_seconds: 90_000, dead_letters: 4 }],
  incomplete_queues: [{ queue: hostile, members: 2, expected: 3 }],
};

const minute = (at: number, came: number, went: number, messages: number) => ({
  at: Date.parse('2026-05-17T09:00:00.000Z') + at * 60_000,
  in: came,
  out: went,
  messages,
});
const histories = {
  known: [
    {
      queue: 'ingest.commands',
      unfinished: 7,
      perSecond: { in: 41, out: 0.25 },
      minutes: [minute(0, 5, 1, 4), minute(1, 1_100, 4, 1_100)],
    },
    {
      queue: 'ingest.requests',
      unfinished: 1,
      perSecond: { in: 2, out: 2 },
      minutes: [minute(0, 3, 3, 0), minute(1, 20, 20, 0)],
    },
    {
      queue: 'ingest.queries',
      unfinished: 1,
      perSecond: { in: 3, out: 4 },
      minutes: [minute(0, 3, 3, 0), minute(1, 30, 29, 1)],
    },
  ],
};

const point = (done: number, failed = 0) => ({ timestamp: '2026-05-17T09:59:40.000+00:00', done, failed });
const work = {
  interval_seconds: 10,
  services: [{ service: 'gateway', points: [point(10), point(250, 3), point(120)] }],
};

const message = {
  id: hostile,
  queue: hostile,
  type: hostile,
  retailer: hostile,
  reason: hostile,
  attempts: 4,
  first_failed_timestamp: null,
  last_failed_timestamp: '2026-05-17T09:00:00.000+00:00',
  trace_id: hostile,
  request_id: hostile,
};

const queue = {
  watched: { name: 'ingest.commands', title: hostile, consumed: ['ingest.commands'], isRetried: true },
  depths: [{ queue: 'ingest.commands.retry.10s', messages: 23, consumers: 0 }],
  histories,
  failures: [message],
};

const action = {
  id: '1',
  timestamp: '2026-05-17T09:00:00.000+00:00',
  operator: hostile,
  address: hostile,
  operation: hostile,
  method: 'POST',
  path: hostile,
  retailer: hostile,
  fields: [hostile],
  status: 200,
  request_id: 'r',
};

const moment = '2026-05-17T09:00:00.000+00:00';

const packet = {
  id: hostile,
  status: 'failed' as const,
  reason: 'mapping_failed' as const,
  content_type: hostile,
  size: 5,
  attempts: 1,
  errors: [{ path: hostile, code: hostile, message: hostile }],
  mapping: { id: hostile, version: 1 },
  received_timestamp: moment,
  updated_timestamp: moment,
  metadata: { till_id: hostile },
  properties: {},
  receipt_id: 'r',
  receipt_ids: [] as string[],
  duplicate: false,
};

const failed = {
  groups: [
    {
      retailer: hostile,
      reason: 'mapping_failed' as const,
      mapping: hostile,
      packets: 2,
      newest_packet: hostile,
      oldest_timestamp: moment,
      newest_timestamp: moment,
    },
  ],
  is_complete: false,
  packets: [{ ...packet, errors: [...packet.errors], receipt_ids: [], retailer: hostile }],
};

const tried = {
  packet: { ...packet, errors: [...packet.errors], receipt_ids: [] },
  raw: { text: hostile, is_whole: false },
  mapping: hostile,
  mappings: [hostile],
  dry_run: {
    receipts: [{ [hostile]: hostile }],
    errors: [{ path: hostile, code: hostile, message: hostile, line: 3 }],
    warnings: [],
    decoded: { lines: [hostile], parts: [{ lines: [hostile] }] },
    time: 4,
  },
};

const endpoint = {
  retailer: hostile,
  id: hostile,
  origin: hostile,
  pending: 1_000,
  last_failure: hostile,
  failing_since: moment,
  disabled_reason: null,
  disabled_timestamp: null,
};

const waiting = {
  groups: [
    {
      retailer: hostile,
      channel: 'email' as const,
      reason: hostile,
      deliveries: 2,
      attempts: 3,
      oldest_timestamp: moment,
      next_attempt_timestamp: moment,
      oldest_receipt: 'r',
    },
  ],
  is_complete: true,
};

it.each([
  [
    'failed packets',
    packetsView({ ...failed, groups: [...failed.groups], packets: [...failed.packets] }, {}, '', now),
  ],
  ['a packet', packetView(tried, hostile, context)],
  ['webhooks', webhooksView([endpoint], now)],
  ['deliveries', deliveriesView({ ...waiting, groups: [...waiting.groups] }, now)],
  ['sign-in', signInView(signingIn, { next: hostile, fault: hostile })],
  ['services', overviewView(status, work, '', now)],
  ['queues', queuesView(status, histories, '')],
  ['a queue', queueView(queue, '', now)],
  [
    'deadLetters',
    deadLettersView(
      { messages: [message], queues: [{ queue: hostile, dead_letters: 1 }], _links: {} },
      {},
      context,
    ),
  ],
  ['a dead letter', deadLetterView({ ...message, content: { [hostile]: hostile } }, context)],
  ['the confirmation', confirmView({ queue: hostile, isDiscard: true, ids: [hostile] }, '', hostile)],
  ['audit log', auditView({ actions: [action], _links: {} }, { retailer: hostile, fault: hostile }, '', now)],
  [
    'the page frame',
    layout({
      title: hostile,
      main: signInView(signingIn, {}),
      base: '',
      who: { session: { operator: hostile, csrf: 'c' } },
    }),
  ],
])('%s: escapes names', (_, view) => expectTame(view));

it('shows problems in the overview', () => {
  const { text } = overviewView(status, work, '/base', now);
  expect(text).toContain('0 of 1');
  expect(text).toContain('live, not ready');
  expect(text).toContain('event loop lag 900 ms');
  expect(text).toContain('href="/base/operator/pages/dead-letters"');
});

it('highlights queues without consumers, and lists the longest first', () => {
  const more = { queue: 'b', messages: 9_999, consumers: 1, waiting_seconds: 1, dead_letters: 0 };
  const { text } = queuesView({ ...status, services: [], queues: [...status.queues, more] }, histories, '');
  expect(text.indexOf('9,999')).toBeLessThan(text.indexOf('1,200'));
  expect(text).toContain('none');
  expect(text).toContain('1 d 1 h');
});

it('shows what comes in and goes out, and adds the queues with requests to a service', () => {
  const queues = [
    { queue: 'ingest.commands', messages: 8, consumers: 1, waiting_seconds: 60, dead_letters: 0 },
  ];
  const services = status.services.map((each) => ({ ...each, service: 'ingest' }));
  const view = (known: typeof histories | { readonly why: string }) =>
    queuesView({ ...status, services, queues }, known, '/base').text;
  const text = view(histories);
  expect(text).toContain('href="/base/operator/pages/queues/ingest.commands"');
  expect(text).toMatch(/<span>41<\/span>[\s\S]*<span>0\.3<\/span>/);
  expect(text).toContain('href="/base/operator/pages/queues/ingest.requests"');
  expect(text).toMatch(/<span>5\.0<\/span>[\s\S]*<span>6\.0<\/span>/);
  expect(text.match(/class="spark"/g)).toHaveLength(2);
  // Without statistics, the lengths are still shown.
  const without = view({ why: 'nobody answers' });
  expect(without).toContain('is not known: nobody answers');
  expect(without).toContain('for 1 min');
  expect(without).not.toContain('class="spark"');
});

it('shows where the messages of a queue wait, its last hour, and what failed', () => {
  const { text } = queueView(queue, '/base', now);
  expect(text).toContain('1,105 messages in (line) and 5 out (dashes) in the last hour');
  expect(text).toContain('now 41 in and 0.3 out a second');
  expect(text).toContain('09:01');
  expect(text).toMatch(/retry\.10s[\s\S]*failed, tried again after 10 s[\s\S]*<span>23<\/span>/);
  expect(text).toContain('Consumers are processing 7 more.');
  expect(text).toContain('href="/base/operator/pages/dead-letters?queue=ingest.commands"');
  const unknown = queueView({ ...queue, histories: { why: 'nobody answers' }, failures: [] }, '', now).text;
  expect(unknown).toContain('nobody answers');
  expect(unknown).toContain('No dead letters.');
  expect(unknown).not.toContain('<svg');
});

it.each([null, []])('mentions members only if queues miss some, not for %j', (incomplete) => {
  expect(queuesView(status, histories, '').text).toContain('rabbitmq-queues grow &lt;node&gt; all');
  const { text } = queuesView({ ...status, incomplete_queues: incomplete }, histories, '');
  expect(text).not.toContain('rabbitmq-queues');
});

it('links to older dead letters of the same queue, and reports the last decision', () => {
  const next = { href: '/operator/messages/dead-letters?count=50&older=01&queue=a' };
  const { text } = deadLettersView({ messages: [], queues: [], _links: { next } }, { queue: 'a' }, context);
  expect(text).toContain('href="/operator/pages/dead-letters?older=01&amp;queue=a"');
  expect(text).toContain('No dead letters here.');
  const done = deadLettersView(
    { messages: [], queues: [], _links: {} },
    { done: 'replay', messages: 1 },
    context,
  );
  expect(done.text).toContain('1 message was sent back to the queue.');
});

it('applies a decision to the selected messages, or to all', () => {
  expect(decisionOf({ queue: 'a', action: 'replay', ids: '1' })).toEqual({
    queue: 'a',
    isDiscard: false,
    ids: ['1'],
  });
  expect(decisionOf({ queue: 'a', action: 'discard', ids: ['1', '2'] }).ids).toEqual(['1', '2']);
  expect(decisionOf({ queue: 'a', action: 'discard' }).ids).toEqual([]);
  expect(decisionOf({ queue: 'a', action: 'discard-all', ids: '1' })).toEqual({
    queue: 'a',
    isDiscard: true,
    ids: undefined,
  });
  expect(confirmView({ queue: 'a', isDiscard: false, ids: undefined }, '', 'c').text).toContain(
    'value="replay-all"',
  );
});

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_661, '1 h 1 min'],
  [86_400, '1 d'],
  [90_061, '1 d 1 h'],
])('shows %d seconds as %s', (seconds, text) => expect(spanText(seconds)).toBe(text));

it('uses singular and plural nouns for counts', () => {
  expect([numbered(0, 'message'), numbered(1, 'message'), numbered(1_000, 'message')]).toEqual([
    '0 messages',
    '1 message',
    '1,000 messages',
  ]);
});

it('describes the chart in words, and shows no chart without data', () => {
  const { text } = throughputChart(work.services[0], 10);
  expect(text).toContain('12 now, 25 at most in the last half hour; 3 failed.');
  expect(text).toContain('class="failed"');
  expect(text).toContain('50 a second');
  expect(throughputChart(undefined, 10).text).not.toContain('<poly');
  expect(throughputChart({ service: 'gateway', points: [point(0)] }, 10).text).toContain('0 now, 0 at most');
});

it.each([
  [0, '0'],
  [0.04, '<0.1'],
  [0.34, '0.3'],
  [12.4, '12'],
])('shows %d a second as %s', (perSecond, text) => expect(rateText(perSecond)).toBe(text));

it.each([
  [0, 1],
  [1, 1],
  [1.5, 2],
  [3, 5],
  [51, 100],
  [100, 100],
  [2_001, 5_000],
])('rounds the limit for %d up to %d', (figure, top) => expect(niceCeiling(figure)).toBe(top));

it('reports that there are no problems', () => {
  expect(packetsView({ groups: [], is_complete: true, packets: [] }, {}, '', now).text).toContain(
    'No failed packets.',
  );
  expect(webhooksView([], now).text).toContain('All endpoints are accepting events.');
  expect(deliveriesView({ groups: [], is_complete: true }, now).text).toContain('No deliveries are waiting.');
});

it('shows the result of a packet that can now be converted', () => {
  const run = { ...tried.dry_run, errors: [], receipts: [{ total: 3 }] };
  const { text } = packetView({ ...tried, dry_run: run }, 'demo', context);
  expect(text).toContain('1 receipt');
  expect(text).not.toContain('still fails');
  expect(packetView({ ...tried, dry_run: null }, 'demo', context).text).toContain('choose a mapping');
});
