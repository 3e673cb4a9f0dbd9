import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { startTcpProxy, until, type TcpProxy } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { platformReport } from '../harness/platform-report';
import { escposSlip, TillAgent } from '../harness/till-agent';

const slipsTotal = Number(process.env['E2E_TILL_SLIPS'] ?? 200);
const memoryBytesMax = 60_000_000;
const tills = [1, 2];
const boundMs = 120_000 + slipsTotal * 1_500;
const mapping = JSON.parse(
  readFileSync(path.resolve(__dirname, '../../deploy/examples/mappings/escpos.json'), 'utf8'),
) as { id: string };

let platform: Platform;
let retailer: TestRetailer;
let network: TcpProxy;
let agents: TillAgent[];

beforeAll(async () => {
  platform = await ownPlatform({ restart: true, env: { CONVERSION_RETRY_MS: '1000' } });
  retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' });
  expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
  expect((await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {})).status).toBe(200);
  network = await startTcpProxy(Number(new URL(platform.baseUrl).port));
  const { key, secret } = retailer.bearer;
  const url = `http://127.0.0.1:${network.port}`;
  agents = await Promise.all(
    tills.map((till) =>
      TillAgent.start({ url, key, secret, 'store-reference': '1', 'till-id': String(till) }),
    ),
  );
}, boundMs);
afterAll(async () => {
  await Promise.all((agents ?? []).map((agent) => agent.discard()));
  await network?.close();
  await discard(platform);
});

/** The numbers of the receipts of each till, in order of arrival. */
async function numbersByTill(): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (let next: string | undefined = '/receipts'; next !== undefined;) {
    const { status, body } = await retailer.api.get(next, undefined, { 'service-api-version': '2' });
    if (status !== 200) throw new Error(`the list returned ${status}`);
    for (const { transaction_id: number, properties } of body.receipts as any[])
      found.set(properties.till, [Number(number), ...(found.get(properties.till) ?? [])]);
    next = body._links.next?.href as string | undefined;
  }
  return found;
}

const numbersOf = (till: number): number[] =>
  Array.from({ length: slipsTotal / tills.length }, (_, index) => till * 1_000_000 + index + 1);

/** The missing receipts, and the state of the platform. */
async function report(): Promise<string> {
  const found = await numbersByTill().catch((fault: unknown) => String(fault));
  const missing = tills.map((till) => {
    const numbers = new Set(typeof found === 'string' ? [] : found.get(String(till)));
    const absent = numbersOf(till).filter((number) => !numbers.has(number));
    return `till ${till} has ${numbers.size} receipts; missing: ${absent.join()}`;
  });
  const refused = await Promise.all(agents.map((agent) => agent.metric('refused_jobs')));
  return [
    typeof found === 'string' ? found : missing.join('\n'),
    `jobs refused by the agents: ${refused.join()}`,
    await platformReport(platform, retailer.api),
  ].join('\n');
}

/** Waits until there are this many receipts, and returns their numbers by till. */
async function numbersOnce(count: number): Promise<Map<string, number[]>> {
  const areThere = async () => {
    const found = await numbersByTill().catch(() => undefined);
    return found && [...found.values()].flat().length >= count && found;
  };
  try {
    return await until(`${count} receipts`, areThere, boundMs);
  } catch (error) {
    throw new Error(await report(), { cause: error });
  }
}

/** False if the process had already ended. */
function killProcess(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

it(
  `${slipsTotal} slips through sockets, while agents, network and platform fail, become ${slipsTotal} receipts, each once, in order per till`,
  async () => {
    let printed = 0;
    const printUpTo = async (count: number) => {
      const printNext = async (agent: TillAgent, till: number) => {
        for (const number of numbersOf(till).slice(printed, count)) {
          const bytes = escposSlip(number, till);
          await until('the slip is accepted', () => agent.print(bytes));
        }
      };
      await Promise.all(tills.map((till, i) => printNext(agents[i] as TillAgent, till)));
      printed = count;
    };
    const restart = async (agent: TillAgent | undefined) => {
      await agent?.kill();
      await agent?.start();
    };
    const service = (name: 'gateway' | 'ingest' | 'transform' | 'receipt-store') => () =>
      until(name, () => killProcess(platform.instances(name)[0]?.pid));
    const faults: (() => Promise<unknown>)[] = [
      () => restart(agents[0]),
      service('transform'),
      async () => {
        network.admit(false);
        network.cut();
        await restart(agents[1]);
        network.admit(true);
      },
      service('gateway'),
      () => restart(agents[0]),
      service('ingest'),
      service('receipt-store'),
      () => restart(agents[1]),
      () => until('the broker', () => killProcess(platform.broker.pid)),
      () => until('the database', () => killProcess(platform.database.pid)),
    ];
    const waiting = async () =>
      (await Promise.all(agents.map((agent) => agent.metric('queue_jobs')))).reduce(
        (sum: number, n) => sum + (n ?? 1),
        0,
      );
    const perFault = slipsTotal / tills.length / faults.length;
    for (const [i, fault] of faults.entries()) {
      const printing = printUpTo(Math.round(perFault * (i + 1)));
      await fault();
      await printing;
      // The next fault happens while the platform still converts the other slips.
      await numbersOnce(Math.round(tills.length * perFault * (i + 0.5)));
    }
    await until('all slips are sent', async () => (await waiting()) === 0, boundMs);
    const numbers = await numbersOnce(slipsTotal);
    for (const till of tills) expect(numbers.get(String(till))).toEqual(numbersOf(till));
    expect(await Promise.all(agents.map((agent) => agent.metric('refused_jobs')))).toEqual([0, 0]);
    for (const agent of agents)
      expect(await agent.metric('resident_memory_bytes')).toBeLessThan(memoryBytesMax);
  },
  2 * boundMs,
);
