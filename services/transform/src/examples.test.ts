import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { postedMapping, type PostedMapping } from '@receipts/contracts';
import { check } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { callOf } from '@receipts/testing';
import { chooseMapping } from './domain/choose-mapping';
import { compareSample } from './domain/compare-sample';
import { packetOfSample } from './domain/sample-packet';
import { Sandbox } from './sandbox/sandbox';
import { runOnSample } from './use-cases/run-on-sample';

const examples = path.resolve(__dirname, '../../../deploy/examples');
const files = readdirSync(path.join(examples, 'mappings'));
const slips = readdirSync(path.join(examples, 'slips')).map((file) =>
  readFileSync(path.join(examples, 'slips', file)).toString('base64'),
);

const broker = new FakeBroker();
// The example with $local names its zone, so the zone of the retailer does not matter.
broker.answers.set('admin.find-retailer', () => ({ retailer: null }));
let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox({ processesMax: 1 });
});
afterAll(() => sandbox.stop());

const readMapping = (file: string): PostedMapping =>
  check(postedMapping, JSON.parse(readFileSync(path.join(examples, 'mappings', file), 'utf8')));

const candidates = files.map(readMapping).map(({ id, match }) => ({ id, match }));

test('exist for each format', () => {
  const types = files.map((file) => readMapping(file).decode.type).sort();
  expect([...new Set(types)]).toEqual([
    'csv',
    'epos',
    'escpos',
    'json',
    'opos',
    'pdf',
    'star',
    'text',
    'xml',
  ]);
});

test.each(files)('%s matches its own samples', (file) => {
  const mapping = readMapping(file);
  for (const { input_base64, content_type, metadata } of mapping.samples ?? []) {
    const bytes = Buffer.from(input_base64, 'base64');
    const packet = { contentType: content_type ?? null, bytes, metadata: metadata ?? {} };
    expect(chooseMapping(candidates, packet)?.id).toBe(mapping.id);
  }
});

test('do not match plain text in another format', () => {
  const packet = { contentType: 'text/plain', bytes: Buffer.from('Ticket 17\nTotal 12.50'), metadata: {} };
  expect(chooseMapping(candidates, packet)).toBeUndefined();
});

test.each(files)('%s produces what its samples expect', async (file) => {
  const mapping = readMapping(file);
  const { samples = [] } = mapping;
  expect(samples.length).toBeGreaterThan(0);
  for (const sample of samples) {
    const { receipts, faults } = await runOnSample(
      { sandbox, broker, now: () => new Date() },
      callOf('demo'),
      mapping,
      packetOfSample(sample, new Date()),
    );
    expect(faults).toEqual([]);
    expect(compareSample('', sample.expect, receipts)).toEqual([]);
    expect(slips).toContain(sample.input_base64);
  }
});
