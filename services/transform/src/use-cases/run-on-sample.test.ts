import { callOf, refusal } from '@receipts/testing';
import { packetOfSample } from '../domain/sample-packet';
import type { Sandbox } from '../sandbox/sandbox';
import { base64, brokenMapping, jsonMapping } from '../testing/samples';
import type { Dependencies } from './dependencies';
import { compileOrRefuse, runOnSample } from './run-on-sample';

const packet = packetOfSample({ input_base64: base64('x') }, new Date(0));
const acme = callOf('acme');
const other = callOf('other');
const receipt = {
  transaction_id: 'T1',
  localtime: '2026-01-02T03:04:05',
  store_reference: '1',
  total: 5,
  items: [{ name: 'Shirt', quantity: 1, total: 5 }],
};
const faults = [{ path: '/decode', code: 'decode_failed', message: 'it says why' }];

type SandboxJob = Parameters<Sandbox['run']>[0];
type SandboxOutcome = Awaited<ReturnType<Sandbox['run']>>;

/** A sandbox in which every job has the same result. */
function world(outcome: SandboxOutcome) {
  const jobs: SandboxJob[] = [];
  const sandbox = {
    run: (job: SandboxJob) => {
      jobs.push(job);
      return Promise.resolve(outcome);
    },
  };
  return { jobs, deps: { sandbox } as unknown as Dependencies };
}

test('runs the rules on the packet in a job of the retailer, and returns the receipts and the decoded data', async () => {
  const { jobs, deps } = world({ json: JSON.stringify([receipt]), decoded: '{"doc":1}' });
  const trial = await runOnSample(deps, acme, jsonMapping('m'), packet);
  expect(trial).toEqual({ receipts: [receipt], partsOfReceipts: [], faults: [], decoded: '{"doc":1}' });
  const { decode, transform } = jsonMapping('m');
  expect(jobs).toMatchObject([{ retailer: 'acme', packet, includeDecoded: true, deadline: acme.deadline }]);
  expect(jobs[0]?.rules).toEqual({ decode, transform });
});

test('returns receipts that violate the schema with their faults', async () => {
  const { deps } = world({ json: JSON.stringify([receipt, { ...receipt, total: 'much' }]) });
  const trial = await runOnSample(deps, acme, jsonMapping('m'), packet);
  expect(trial.receipts).toHaveLength(2);
  expect(trial.faults.map(({ path }) => path)).toEqual(['/1/total']);
});

test('returns the faults of a failure, and the data decoded before the failure', async () => {
  const failure = { reason: 'decode_failed', faults } as const;
  const decoded = await runOnSample(world({ failure, decoded: '{}' }).deps, acme, jsonMapping('m'), packet);
  expect(decoded).toEqual({ receipts: [], partsOfReceipts: [], faults, decoded: '{}' });
  const early = await runOnSample(world({ failure }).deps, acme, jsonMapping('m'), packet);
  expect(early).not.toHaveProperty('decoded');
});

test('passes changed rules to the sandbox with a new key, and unchanged rules with the same key', async () => {
  const { jobs, deps } = world({ json: '[]' });
  const samples = [{ input_base64: '', expect: {} }];
  for (const changes of [
    {},
    { description: 'x', samples, match: { till_id: ['1'] } },
    { limits: { memory_mb: 32 } },
  ])
    await runOnSample(deps, acme, jsonMapping('m', changes), packet);
  await runOnSample(deps, other, jsonMapping('m'), packet);
  const [first, same, limited, foreign] = jobs.map(({ mapping }) => mapping);
  expect(same).toBe(first);
  expect(new Set([first, limited, foreign]).size).toBe(3);
  expect(jobs[1]?.rules).toEqual(jobs[0]?.rules);
});

test('compiles without running a packet, and reports every fault', async () => {
  const good = world({});
  await compileOrRefuse(good.deps, acme, jsonMapping('m'));
  expect(good.jobs[0]).not.toHaveProperty('packet');
  const bad = world({ failure: { reason: 'mapping_failed', faults } });
  const error = await refusal(compileOrRefuse(bad.deps, acme, brokenMapping('m')));
  expect(error).toMatchObject({ status: 422, code: 'mapping_invalid', errors: faults });
});
