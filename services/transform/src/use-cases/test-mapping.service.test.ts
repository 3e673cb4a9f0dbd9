import { base64, jsonMapping, sales } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

test('reports which samples of an unsaved mapping fail, and why', async () => {
  const passing = { input_base64: base64(sales('S1')), expect: { transaction_id: 'S1' } };
  const samples = [
    passing,
    { ...passing, expect: { transaction_id: 'S2' } },
    { ...passing, input_base64: base64('{') },
  ];
  const { body } = await world.ask('testMapping', { body: { mapping: jsonMapping('m', { samples }) } });
  expect(body.samples).toMatchObject([
    { errors: [] },
    { errors: [{ path: '/samples/1/expect/transaction_id', message: 'expected "S2", got "S1"' }] },
    { errors: [{ path: '/samples/2/receipts/decode' }] },
  ]);
  expect(await world.kept('mappings')).toEqual([]);
});
