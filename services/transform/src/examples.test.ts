import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { postedMapping, type PostedMapping } from '@receipts/contracts';
import { check } from '@receipts/kernel';
import { compareSample } from './domain/compare-sample';
import { packetOfSample } from './domain/sample-packet';
import { createSandbox, type Sandbox } from './sandbox/sandbox';
import { tryMapping } from './use-cases/try-mapping';

const examples = path.resolve(__dirname, '../../../deploy/examples');
const files = readdirSync(path.join(examples, 'mappings'));
const slips = readdirSync(path.join(examples, 'slips')).map((file) =>
  readFileSync(path.join(examples, 'slips', file)).toString('base64'),
);

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox({ processesMax: 1 });
});
afterAll(() => sandbox.stop());

const readMapping = (file: string): PostedMapping =>
  check(postedMapping, JSON.parse(readFileSync(path.join(examples, 'mappings', file), 'utf8')));

test('there is one for each format', () => {
  const types = files.map((file) => readMapping(file).decode.type).sort();
  expect(types).toEqual(['csv', 'escpos', 'json', 'opos', 'pdf', 'text', 'xml']);
});

test.each(files)(
  '%s gives what its samples expect',
  async (file) => {
    const mapping = readMapping(file);
    const { samples = [] } = mapping;
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) {
      const { receipts, faults } = await tryMapping(
        { sandbox },
        'demo',
        mapping,
        packetOfSample(sample, new Date()),
      );
      expect(faults).toEqual([]);
      expect(compareSample('', sample.expect, receipts)).toEqual([]);
      expect(slips).toContain(sample.input_base64);
    }
  },
  30_000,
);
