import type { ClientCall } from '@receipts/contracts';
import { startDatabase } from '@receipts/testing';
import { ClientCalls, clientCallsDeclaration, type ClientCallsDocument } from './client-calls';

const unlimited = new AbortController().signal;
const call = (at: number, id: string): ClientCall => ({
  at,
  method: 'GET',
  route: '/receipts',
  status: 200,
  request_id: id,
});

it('lists calls newest first, whichever gateway reports them first, and in order within a millisecond', async () => {
  const database = await startDatabase('client-calls');
  try {
    const calls = new ClientCalls(await database.collection<ClientCallsDocument>(clientCallsDeclaration));
    const report = (...reported: ClientCall[]) =>
      calls.add({ clients: [{ retailer: 'shop', client: 'bearer:1', calls: reported }] }, unlimited);
    await report(call(5, 'third'), call(5, 'fourth'));
    await report(call(3, 'first'), call(3, 'second'));
    const listed = await calls.of('shop', 'bearer:1', unlimited);
    expect(listed.map(({ request_id }) => request_id)).toEqual(['fourth', 'third', 'second', 'first']);
  } finally {
    await database.close();
  }
});
