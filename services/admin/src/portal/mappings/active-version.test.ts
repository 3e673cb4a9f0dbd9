import type { Portal } from '../open-portal';
import { activeVersion } from './active-version';

const pages: Readonly<Record<string, object>> = {
  '': { mappings: [{ id: 'a', version: 1 }], _links: { next: { href: '/pos/mappings?count=100&older=a' } } },
  a: { mappings: [{ id: 'b', version: 2 }], _links: {} },
};
const ask = ((_contract: unknown, { query }: { query: { older?: string } }) =>
  Promise.resolve({ body: pages[query.older ?? ''] })) as unknown as Portal['ask'];
const find = (id: string) => activeVersion({ ask }, { call: {} as never }, id);

it('finds the active version of a mapping on any page of the list', async () => {
  expect(await find('a')).toMatchObject({ version: 1 });
  expect(await find('b')).toMatchObject({ version: 2 });
  expect(await find('c')).toBeUndefined();
});
