import { execFile } from 'node:child_process';
import path from 'node:path';
import { ManagementApi, vhostOf } from '@receipts/messaging';
import { until } from '@receipts/testing';
import { uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator, sharedPlatform } from './harness/shared-platform';

const root = path.resolve(__dirname, '..');

/** Runs the command line in a process, as users do. */
function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { credentials } = sharedPlatform();
  const env = { ...process.env, BASE_URL: credentials.baseUrl, OPERATOR_TOKEN: credentials.operator.token };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['services/admin/dist/operations/commands/operator.js', ...args],
      { cwd: root, env },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

it('GET /operator/status shows which processes serve requests', async () => {
  const api = await operator();
  // Processes send reports every few seconds.
  const body = await until(
    'a report of every process',
    async () => {
      const answer = await api.get('/operator/status');
      const isHeard = ({ processes }: { processes: unknown[] }) => processes.length > 0;
      return answer.body.services.every(isHeard) && answer.body;
    },
    60_000,
  );
  expect(body.services).toHaveLength(7);
  for (const service of body.services) {
    expect(service).toMatchObject({ ready: true, instances: 1, versions: [expect.stringMatching(/^\d+\./)] });
    expect(service.outbox.pending).toBeGreaterThanOrEqual(0);
    expect(Date.parse(service.processes[0].started_timestamp)).toBeLessThan(Date.now() + 60_000);
  }
});

it('GET /operator/status lists every queue for which the services have declared a dead-letter queue', async () => {
  const { amqpUrl, managementUrl, credentials } = sharedPlatform();
  const prefix = credentials.broker.exchange.replace(/events$/, '');
  const suffix = '.dead-letters';
  const names = await new ManagementApi(managementUrl).namesOf('queues', vhostOf(amqpUrl));
  const declared = names
    .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
    .map((name) => name.slice(prefix.length, -suffix.length));
  const { body } = await (await operator()).get('/operator/status');
  expect(body.queues.map(({ queue }: { queue: string }) => queue)).toEqual(declared.sort());
});

it('operations on dead letters reject unknown queues, and do not find unknown messages', async () => {
  const api = await operator();
  const { body } = await api.get('/operator/messages/dead-letters');
  const { queue } = body.queues[0];
  expect((await api.get('/operator/messages/dead-letters', { queue })).status).toBe(200);
  const unknown = { queue: 'nowhere', all: true };
  for (const answer of [
    await api.get('/operator/messages/dead-letters', { queue: 'nowhere' }),
    await api.get('/operator/messages/dead-letters/x', { queue: 'nowhere' }),
    await api.post('/operator/messages/dead-letters/_replay', unknown),
    await api.post('/operator/messages/dead-letters/_discard', unknown),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'queue_not_found']);
  }
  expect((await api.get('/operator/messages/dead-letters/x', { queue })).body.code).toBe('not_found');
  const none = await api.post('/operator/messages/dead-letters/_replay', { queue, ids: ['x'] });
  expect([none.status, none.body]).toEqual([200, { replayed: 0 }]);
  expect((await api.post('/operator/messages/dead-letters/_discard', { queue })).status).toBe(422);
});

it('is available to the operator only', async () => {
  const [nobody, retailer] = await Promise.all([anonymous(), aRetailer()]);
  for (const place of ['/operator/status', '/operator/messages/dead-letters']) {
    expect((await nobody.get(place)).status).toBe(401);
    expect((await retailer.api.get(place)).status).toBe(403);
  }
});

it('the command line creates a retailer, changes its settings within a second, and reports the result in its exit status', async () => {
  const id = uniqueId('cli').toLowerCase();
  expect(await run('retailer', 'create', id, '--name', 'By command')).toMatchObject({ code: 0 });
  expect(await run('retailer', 'create', id, '--name', 'By command')).toMatchObject({ code: 1 });
  const made = await run('client', 'create', id, 'bearer', '--description', 'all', '--json');
  expect(JSON.parse(made.out).secret).toEqual(expect.any(String));
  const set = await run('retailer', 'set', id, 'timezone=Asia/Tokyo', 'portal_groups=["clerks"]');
  expect(set.code).toBe(0);
  await until(
    'the settings',
    async () => JSON.parse((await run('retailer', 'show', id)).out).settings.timezone === 'Asia/Tokyo',
  );
  expect((await run('retailer', 'set', id, 'timezone=Mars')).err).toContain('/settings/timezone');
  expect((await run('retailer', 'list')).out).toContain(id);
  const email = `${id}@demo.example`;
  expect(await run('portal-user', 'create', id, email, '--group', 'clerks')).toMatchObject({
    code: 0,
    out: `${email} was created\n`,
  });
  expect((await run('status')).out).toContain('receipt-store');
  expect(await run('fly')).toMatchObject({ code: 2 });
});

it('the command line rotates the proof keys and keeps the earlier keys', async () => {
  const kids = async () => {
    const { body } = await (await anonymous()).get('/.well-known/jwks.json');
    return (body.keys as { kid: string }[]).map(({ kid }) => kid);
  };
  const before = await kids();
  const { code, out } = await run('keys', 'rotate', '--json');
  const { kid } = JSON.parse(out) as { kid: string };
  expect(code).toBe(0);
  expect(await kids()).toEqual([kid, ...before]);
  expect((await run('keys', 'rotate')).out).toMatch(/^New proofs are signed with [\w-]{43}\n$/);
  expect(await run('keys', 'forget')).toMatchObject({ code: 2 });
});
