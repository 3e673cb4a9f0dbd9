import {
  defaultRetailerSettings,
  ingestEvents,
  totalsExample,
  webhookEvents,
  type NotifiedUser,
} from '@receipts/contracts';
import type { Call, Contract, EventRecord } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase, silentLog, until } from '@receipts/testing';
import { MailOutcomeUnknown, type Envelope } from '../sending/channels/email';
import type { Mail } from '../rendering/mail/mail';
import { AlertsByRetailer, alertsDeclaration, type AlertsDocument } from './storage/alerts-by-retailer';
import { Notifications, notificationsDeclaration, type NotificationDocument } from './storage/notifications';
import { NotificationWorker } from './use-cases/notification-worker';
import { onAlertCause } from './use-cases/on-alert-cause';
import { planDailyTotals } from './use-cases/plan-daily-totals';
import { startAlertRounds } from './use-cases/start-alert-rounds';
import { watchChecks } from './use-cases/watch-checks';

const minuteMs = 60_000;
const pauses = { delayMs: minuteMs, intervalMs: 60 * minuteMs };
/** Half past midnight in Paris. */
const night = new Date('2026-05-17T22:30:00Z');

let database: Database;
let now = night;
let users: NotifiedUser[];
let stores: { reference: number; name: string; timezone: string | null }[];
/** The receipts of each store on any day. */
let totals: Record<string, number>;
let counts: Record<string, number>;
let mails: { readonly envelope: Envelope; readonly mail: Mail }[];
let mailFault: Error | undefined;
let storeRequests = 0;
const workers: NotificationWorker[] = [];

beforeAll(async () => {
  database = await startDatabase('delivery');
});
afterAll(() => database.close());
beforeEach(() => {
  now = night;
  users = [userOf()];
  stores = [
    { reference: 1, name: 'Opera', timezone: null },
    { reference: 2, name: 'Kyoto', timezone: 'Asia/Tokyo' },
  ];
  totals = { 1: 10, 2: 20 };
  counts = { 'checks:*': 0, '': 100 };
  mails = [];
  mailFault = undefined;
  storeRequests = 0;
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.work.stop()));
  for (const name of ['notifications', 'alerts']) await database.db.collection(name).deleteMany({});
});

function userOf(change: Partial<NotifiedUser> = {}): NotifiedUser {
  return {
    retailer: 'demo',
    id: 7,
    email: 'jo@demo.example',
    stores: null,
    failing_checks_percent: 5,
    types: ['daily_totals', 'failed_packets', 'disabled_webhooks', 'failing_checks'],
    language: 'en',
    unsubscribe: 'https://receipts.example/portal/unsubscribe/token',
    ...change,
  };
}

const isVisible = (reference: unknown, call: Call) => call.stores?.includes(String(reference)) ?? true;

const answers: Record<string, (input: any, call: Call) => unknown> = {
  'admin.list-notified-users': ({ body: { retailer, id } }) => ({
    users: users.filter(
      (user) => (retailer ?? user.retailer) === user.retailer && (id ?? user.id) === user.id,
    ),
    next: null,
  }),
  'admin.list-stores': (_input, call) => {
    storeRequests++;
    return { stores: stores.filter(({ reference }) => isVisible(reference, call)), _links: {} };
  },
  'receipt-store.get-totals': ({ query }, call) => {
    const visible = Object.entries(totals).filter(([store]) => isVisible(store, call));
    const rowOf = (store: string | undefined, receipts: number) => {
      const { store_reference: _store, ...figures } = totalsExample;
      return { ...figures, receipts, total: receipts * 10, ...(store && { store_reference: store }) };
    };
    const sum = visible.reduce((all, [, receipts]) => all + receipts, 0);
    return {
      totals: query.group_by.includes('store')
        ? visible.map(([store, receipts]) => rowOf(store, receipts))
        : [rowOf(undefined, sum)],
    };
  },
  'receipt-store.count-receipts': ({ body: { query } }) => ({ hits: counts[query] }),
};

/** A process of the service. */
async function startProcess() {
  const notifications = new Notifications(
    await database.collection<NotificationDocument>(notificationsDeclaration),
  );
  const alerts = new AlertsByRetailer(await database.collection<AlertsDocument>(alertsDeclaration));
  const common = {
    ask: async (contract: Contract, input: unknown, call: Call) => ({
      body: answers[contract.name]?.(input, call),
    }),
    retailer: async (id: string) => {
      if (id === 'broken') throw new Error(id);
      return { id, name: 'Demo', settings: { ...defaultRetailerSettings, timezone: 'Europe/Paris' } };
    },
    notifications,
    alerts,
    pauses,
    log: silentLog,
    now: () => now,
  } as unknown as Parameters<typeof startAlertRounds>[0] & Parameters<typeof planDailyTotals>[0];
  const worker = new NotificationWorker({
    ...common,
    log: silentLog,
    publicUrl: 'https://receipts.example',
    mailFrom: 'receipts@platform.example',
    mailer: {
      send: (envelope, mail) => {
        if (mailFault) return Promise.reject(mailFault);
        mails.push({ envelope, mail });
        return Promise.resolve();
      },
    },
  });
  workers.push(worker);
  worker.work.start();
  const deps = { ...common, wake: () => worker.work.wake() };
  const { handle } = onAlertCause(deps);
  return {
    plan: planDailyTotals(deps),
    round: startAlertRounds(deps),
    watch: watchChecks(deps),
    receive: (...events: EventRecord[]) => handle(events),
    worker,
  };
}

const all = () =>
  database.db.collection<NotificationDocument>('notifications').find().sort({ _id: 1 }).toArray();
const settled = (count: number) =>
  until('no e-mail is pending', async () => {
    const found = await all();
    return found.length === count && found.every(({ status }) => status !== 'pending') ? found : undefined;
  });
const postponed = (count: number) =>
  until('attempts have failed', async () => {
    const found = await all();
    return found.filter(({ reason }) => reason === 'not_delivered').length === count;
  });
const later = (minutes: number) => (now = new Date(now.getTime() + minutes * minuteMs));

describe('the totals of the day', () => {
  it('are sent after the day of the stores in each time zone, once, by whichever process', async () => {
    const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
    await Promise.all(processes.map(({ plan }) => plan()));
    await settled(2);
    const subjects = () => mails.map(({ mail }) => mail.subject).sort();
    expect(subjects()).toEqual(['Demo: totals of 17 May 2026', 'Demo: totals of 17 May 2026']);
    const paris = mails.find(({ mail }) => mail.text.includes('Opera'));
    expect(paris?.mail.text).not.toContain('Kyoto');
    expect(paris?.envelope).toMatchObject({
      to: 'jo@demo.example',
      unsubscribe: 'https://receipts.example/portal/unsubscribe/token',
    });

    // Receipts that arrive later, and a restart, cause no second e-mail about the day.
    totals = { 1: 11, 2: 21 };
    later(60);
    await (await startProcess()).plan();
    await settled(2);
    expect(mails).toHaveLength(2);

    later(24 * 60);
    await processes[0]?.plan();
    await settled(4);
    expect(subjects().filter((subject) => subject === 'Demo: totals of 18 May 2026')).toHaveLength(2);
  });

  it('are planned without asking for stores until a day has ended or an hour has passed', async () => {
    totals = {};
    const { plan } = await startProcess();
    await plan();
    await settled(2);
    storeRequests = 0;
    for (let minute = 1; minute < 60; minute++) {
      later(1);
      await plan();
    }
    expect(storeRequests).toBe(0);
    stores = [...stores, { reference: 3, name: 'Lisbon', timezone: 'Europe/Lisbon' }];
    later(1);
    await plan();
    expect(storeRequests).toBe(1);
    await settled(3);

    // Midnight in Tokyo.
    now = new Date('2026-05-18T14:50:00Z');
    await plan();
    storeRequests = 0;
    now = new Date('2026-05-18T15:15:00Z');
    await plan();
    expect(await all()).toHaveLength(4);
    expect(storeRequests).toBeGreaterThan(0);
    await settled(4);
  });

  it('are planned for a user who chooses them later, and again after a failure', async () => {
    totals = {};
    const { plan } = await startProcess();
    await plan();
    users = [...users, userOf({ id: 9, email: 'mo@demo.example' })];
    jest.spyOn(Notifications.prototype, 'add').mockRejectedValueOnce(new Error('away'));
    await expect(plan()).rejects.toThrow('away');
    await plan();
    await settled(4);
    jest.restoreAllMocks();
  });

  it('are planned for other retailers if it fails for one', async () => {
    users = [userOf({ retailer: 'broken' }), userOf()];
    await expect((await startProcess()).plan()).rejects.toThrow('broken');
    await settled(2);
    expect(mails.map(({ envelope }) => envelope.to)).toEqual(['jo@demo.example', 'jo@demo.example']);
  });

  it('of a store come once although its time zone changes', async () => {
    const { plan } = await startProcess();
    await plan();
    await settled(2);
    stores = stores.map((store) => ({ ...store, timezone: 'America/Los_Angeles' }));
    later(12 * 60);
    await plan();
    await settled(3);
    expect(mails).toHaveLength(2);
  });

  it('contain only the stores that the user may see', async () => {
    users = [userOf({ stores: ['1'] })];
    totals = { 1: 10, 2: 20, 3: 30 };
    await (await startProcess()).plan();
    await settled(1);
    expect(mails[0]?.mail.text).toContain('Opera');
    expect(mails[0]?.mail.text).not.toMatch(/Kyoto|Store 3|Together/);
  });

  it('name the store of a reference with leading zeros, on the day of its time zone', async () => {
    totals = { '0001': 10, '02': 20 };
    await (await startProcess()).plan();
    await settled(2);
    expect(mails.map(({ mail }) => /Opera|Kyoto|Store \d+/.exec(mail.text)?.[0]).sort()).toEqual([
      'Kyoto',
      'Opera',
    ]);
  });

  it('add up all stores of an e-mail, and name stores that nobody has created', async () => {
    totals = { 1: 10, 3: 30 };
    await (await startProcess()).plan();
    await settled(2);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.mail.text).toMatch(
      /Opera\n.*Receipts: 10, [^]*Store 3\n.*Receipts: 30, [^]*Together\n.*Receipts: 40, /,
    );
  });

  it('are not sent without a receipt', async () => {
    totals = {};
    await (await startProcess()).plan();
    const found = await settled(2);
    expect(found.map(({ status, reason }) => [status, reason])).toEqual([
      ['canceled', 'nothing_to_tell'],
      ['canceled', 'nothing_to_tell'],
    ]);
  });

  it.each([
    ['was disabled', () => [], 'not_wanted'],
    ['lost the permission', () => [userOf({ types: ['failed_packets'] })], 'nothing_to_tell'],
    ['lost all stores', () => [userOf({ stores: [] })], 'nothing_to_tell'],
  ])('are not sent to a user who %s since they were planned', async (_what, change, reason) => {
    mailFault = new Error('no connection');
    await (await startProcess()).plan();
    await postponed(2);
    mailFault = undefined;
    users = change();
    later(1);
    (await startProcess()).worker.work.wake();
    const found = await settled(2);
    expect(found.map((one) => one.reason)).toEqual([reason, reason]);
    expect(mails).toEqual([]);
  });

  it('are retried after a failure, but never if they may have arrived', async () => {
    mailFault = new Error('no connection');
    totals = { 1: 10 };
    const { plan, worker } = await startProcess();
    await plan();
    await postponed(1);
    mailFault = new MailOutcomeUnknown(new Error('no reply'));
    later(1);
    worker.work.wake();
    const found = await settled(2);
    expect(found.map(({ reason }) => reason).sort()).toEqual(['nothing_to_tell', 'outcome_unknown']);
  });

  it('are not sent again after a crash while they were being sent', async () => {
    totals = { 1: 10 };
    mailFault = new Error('no connection');
    const { plan } = await startProcess();
    await plan();
    await postponed(1);
    mailFault = undefined;
    await database.db
      .collection('notifications')
      .updateMany({ status: 'pending' }, { $set: { handedOverAt: now } });
    later(1);
    (await startProcess()).worker.work.wake();
    const found = await settled(2);
    expect(found.every(({ status }) => status !== 'sent')).toBe(true);
    expect(mails).toEqual([]);
  });
});

describe('warnings', () => {
  const record = (type: string, subject: string, data: object) =>
    ({ id: `${type} ${subject}`, type, subject, retailer: 'demo', data }) as unknown as EventRecord;
  const packet = (id: string, store?: string) =>
    record(ingestEvents.posReceiptFailed.type, id, {
      id,
      metadata: { ...(store && { store_reference: store }) },
    });
  const disabled = (id: string) =>
    record(webhookEvents.webhookEndpointDisabled.type, id, {
      id,
      description: 'Stock system',
      reason: 'gone',
    });

  it('of a storm come in one e-mail to each user, and again after an hour at the earliest', async () => {
    users = [
      userOf(),
      userOf({ id: 8, email: 'al@demo.example', types: ['disabled_webhooks'], language: 'de' }),
    ];
    const processes = await Promise.all([startProcess(), startProcess()]);
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        // The broker delivers a batch again that has lost too many races.
        until('the batch is handled', () =>
          processes[n % 2]?.receive(packet(`p${n}`), packet(`q${n}`)).then(
            () => true,
            () => false,
          ),
        ),
      ),
    );
    await processes[0]?.receive(disabled('w1'));
    await processes[1]?.round();
    expect(await all()).toEqual([]);
    later(1);
    await Promise.all(processes.map(({ round }) => round()));
    await settled(2);
    expect(mails.map(({ envelope, mail }) => `${envelope.to} ${mail.subject}`).sort()).toEqual([
      'al@demo.example Demo: Webhook-Endpunkt deaktiviert: Stock system',
      'jo@demo.example Demo: Packets that could not be converted: 120 (+1)',
    ]);

    await processes[0]?.receive(packet('late'));
    later(59);
    await processes[0]?.round();
    expect(mails).toHaveLength(2);
    later(1);
    await processes[1]?.round();
    await settled(3);
    expect(mails[2]?.mail.subject).toBe('Demo: Packets that could not be converted: 1');
  });

  it('are sent by another process if the first one crashes in a round', async () => {
    const crashing = await startProcess();
    await crashing.receive(packet('p1'));
    later(1);
    const spy = jest.spyOn(Notifications.prototype, 'add').mockRejectedValueOnce(new Error('crash'));
    await expect(crashing.round()).rejects.toThrow('crash');
    spy.mockRestore();
    await (await startProcess()).round();
    await settled(1);
    expect(mails).toHaveLength(1);
  });

  it('concern only the stores that a user has chosen', async () => {
    users = [userOf({ stores: ['1'] })];
    const { receive, round } = await startProcess();
    await receive(packet('p1', '2'), packet('p2', '0001'), packet('p3'));
    later(1);
    await round();
    await settled(1);
    expect(mails[0]?.mail.subject).toBe('Demo: Packets that could not be converted: 2');
  });

  it('of silent tills tell the latest state, with the name and the time of the store', async () => {
    users = [userOf({ types: ['silent_tills'], language: 'de', stores: ['1', '2'] })];
    const till = (type: 'till.silent' | 'till.back', store: string, time: string) =>
      record(type, `${store} a1`, {
        store_reference: store,
        till_uuid: 'a1',
        last_received: `2026-05-17T${time}:00+00:00`,
      });
    const { receive, round } = await startProcess();
    await receive(
      till('till.silent', '1', '20:05'),
      till('till.silent', '2', '20:05'),
      till('till.silent', '3', '20:05'),
    );
    await receive(till('till.back', '2', '21:00'));
    later(1);
    await round();
    await settled(1);
    expect(mails[0]?.mail.text.split('\n').slice(0, 2)).toEqual([
      'Kasse a1 ist still: Opera, letzte Daten 17.05.2026, 22:05',
      'Kasse a1 sendet wieder: Kyoto, seit 18.05.2026, 06:00',
    ]);
  });

  it('of more tills than an e-mail lists say how many there are beside', async () => {
    users = [userOf({ types: ['silent_tills'] }), userOf({ id: 8, types: ['silent_tills'], stores: ['2'] })];
    const { receive, round } = await startProcess();
    const silent = (n: number) =>
      record('till.silent', `till ${n}`, {
        store_reference: n < 1_300 ? '1' : '2',
        till_uuid: String(n),
        last_received: '2026-05-17T20:05:00+00:00',
      });
    await receive(...Array.from({ length: 1_500 }, (_, n) => silent(n)));
    later(1);
    await round();
    await settled(2);
    const linesOf = (mail: Mail | undefined) => (mail?.text.split('\n\n')[0] ?? '').split('\n');
    const [one, other] = mails.map(({ mail }) => linesOf(mail)).sort((a, b) => b.length - a.length);
    expect(one?.filter((line) => line.includes('is silent'))).toHaveLength(100);
    expect(one).toContain('Further reports about tills: 1,400');
    // A user of one store learns nothing about the tills of others.
    expect(other?.slice(0, 1)).toEqual(['Further reports about tills: 200']);
    for (const { mail } of mails) expect(mail.html).toContain('Further reports about tills');
  });

  it('of tills at too many stores to count say that there are more', async () => {
    users = [userOf({ types: ['silent_tills', 'failed_packets'] })];
    const { receive, round } = await startProcess();
    const silent = (n: number) =>
      record('till.silent', `till ${n}`, {
        store_reference: `store ${n}`,
        till_uuid: 'a1',
        last_received: '2026-05-17T20:05:00+00:00',
      });
    await receive(packet('p1'), ...Array.from({ length: 500 }, (_, n) => silent(n)));
    later(1);
    await round();
    await settled(1);
    const text = mails[0]?.mail.text.split('\n');
    expect(text).toContain('Further reports about tills: 300+');
    expect(text).toContain('Packets that could not be converted: 1');
  });

  it('come once although their events arrive again later', async () => {
    const { receive, round } = await startProcess();
    await receive(packet('p1'), disabled('w1'));
    later(1);
    await round();
    await settled(1);
    await (await startProcess()).receive(packet('p1'), disabled('w1'));
    later(120);
    await round();
    expect(await all()).toHaveLength(1);
    expect(mails).toHaveLength(1);
  });

  it('are sent to other retailers if it fails for one', async () => {
    const { receive, round } = await startProcess();
    await receive({ ...packet('p1'), retailer: 'broken' });
    await receive(packet('p2'));
    later(1);
    const listUsers = answers['admin.list-notified-users'];
    answers['admin.list-notified-users'] = (input, call) => {
      if (input.body.retailer === 'broken') throw new Error('broken');
      return listUsers?.(input, call);
    };
    await expect(round()).rejects.toThrow('broken');
    Object.assign(answers, { 'admin.list-notified-users': listUsers });
    await settled(1);
    expect(mails).toHaveLength(1);
  });

  it('are forgotten if nobody wants them', async () => {
    users = [];
    const { receive, round } = await startProcess();
    await receive(packet('p1'));
    later(1);
    await round();
    expect(await all()).toEqual([]);
    expect(await database.db.collection('alerts').findOne()).toMatchObject({ alerts: { causes: [] } });
  });

  it('of failing checks come when their share rises above the limit of the user', async () => {
    users = [userOf(), userOf({ id: 8, email: 'al@demo.example', failing_checks_percent: 50 })];
    const { watch, round } = await startProcess();
    counts = { 'checks:*': 6, '': 100 };
    await watch();
    await watch();
    later(1);
    await round();
    await settled(1);
    expect(mails.map(({ mail }) => mail.subject)).toEqual([
      'Demo: Receipts of the last hour that do not add up: 6 of 100',
    ]);
  });

  it('name no consumer', async () => {
    const { receive, round } = await startProcess();
    const event = packet('p1', '1');
    Object.assign(event.data as object, {
      metadata: { identifier: 'jane@example.com', store_reference: '1' },
    });
    await receive(event);
    later(1);
    await round();
    await settled(1);
    const kept = await Promise.all(
      ['alerts', 'notifications'].map((name) => database.db.collection(name).find().toArray()),
    );
    expect(JSON.stringify([kept, mails])).not.toContain('jane');
  });
});
