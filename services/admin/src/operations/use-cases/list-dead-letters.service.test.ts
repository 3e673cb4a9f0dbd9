import { deadLetterSources } from '../queues';
import { adminWorld, operatorCall, refusalOf, type AdminWorld } from '../../testing/admin-world';

const [a, b] = ['admin.commands', 'delivery.on-event'];
let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());

const message = (queue: string, id: string, retailer = 'demo') => ({
  id,
  queue,
  retailer,
  type: 'receipt.created',
  reason: 'Error: broken',
  attempts: 4,
  firstFailedAt: '2026-05-17T09:00:00.000Z',
  lastFailedAt: undefined,
  traceId: undefined,
  requestId: 'r1',
  content: { id },
});

beforeEach(async () => {
  await world.reset();
  world.deadLetters.set(a, [message(a, '03'), message(a, '01')]);
  world.deadLetters.set(b, [message(b, '02', '')]);
});

const list = async (query: object = {}) =>
  (await world.ask('listDeadLetters', { query }, operatorCall())).body;
const idsOf = ({ messages }: { messages: readonly { id: string }[] }) => messages.map(({ id }) => id);

it('lists the dead letters of all queues, newest first, page by page', async () => {
  const first = await list({ count: 2 });
  expect(idsOf(first)).toEqual(['03', '02']);
  expect(first.queues).toEqual(
    deadLetterSources.map((queue) => ({ queue, dead_letters: world.deadLetters.get(queue)?.length ?? 0 })),
  );
  expect(first._links.next?.href).toBe('/operator/messages/dead-letters?count=2&older=02');
  const rest = await list({ count: 2, older: '02' });
  expect([idsOf(rest), rest._links]).toEqual([['01'], {}]);
});

it('continues after a message that no longer exists, and rejects an unknown cursor', async () => {
  world.deadLetters.set(a, [message(a, '6a0000000000000000000001')]);
  expect(idsOf(await list({ queue: a, older: '6a0000000000000000000002' }))).toHaveLength(1);
  for (const older of ['zz', '', '6A0000000000000000000002', '6a00']) {
    expect(await refusalOf(list({ older }))).toBe('400 unknown_cursor /older');
  }
});

it('lists the dead letters of one queue, with links that keep the filter', async () => {
  const page = await list({ queue: a, count: 1 });
  expect(idsOf(page)).toEqual(['03']);
  expect(page.messages[0]).toEqual({
    id: '03',
    queue: a,
    type: 'receipt.created',
    retailer: 'demo',
    reason: 'Error: broken',
    attempts: 4,
    first_failed_timestamp: '2026-05-17T09:00:00.000Z',
    last_failed_timestamp: null,
    trace_id: null,
    request_id: 'r1',
  });
  expect(page._links.next?.href).toBe(
    '/operator/messages/dead-letters?count=1&older=03&queue=admin.commands',
  );
  expect((await list({ queue: b })).messages[0]?.retailer).toBeNull();
});

it('shows a dead letter with its content', async () => {
  const show = (queue: string, id: string) =>
    world.ask('getDeadLetter', { params: { id }, query: { queue } }, operatorCall());
  expect((await show(a, '01')).body).toMatchObject({ id: '01', content: { id: '01' } });
  expect(await refusalOf(show(a, '02'))).toBe('404 not_found');
  expect(await refusalOf(show('nowhere', '01'))).toBe('404 queue_not_found');
});

it('replays and discards the given messages, or all', async () => {
  const replay = (body: object) => world.ask('replayDeadLetters', { body: body as never }, operatorCall());
  const discard = (body: object) => world.ask('discardDeadLetters', { body: body as never }, operatorCall());
  expect((await replay({ queue: a, ids: ['01', '99'] })).body).toEqual({ replayed: 1 });
  expect((await discard({ queue: a, all: true })).body).toEqual({ discarded: 1 });
  expect(idsOf(await list())).toEqual(['02']);
  expect(await refusalOf(replay({ queue: 'nowhere', all: true }))).toBe('404 queue_not_found');
  expect(await refusalOf(discard({ queue: 'nowhere', all: true }))).toBe('404 queue_not_found');
  for (const body of [{ queue: a }, { queue: a, ids: ['01'], all: true }, { queue: a, ids: [] }]) {
    expect(await refusalOf(replay(body))).toMatch(/^422 schema_validation_failed/);
  }
});
