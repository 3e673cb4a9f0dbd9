import { platformContracts, platformPages } from '../platform';
import { startHarness, type Harness } from '../testing/harness';
import { sitePages } from './files';

let gateway: Harness;
beforeAll(async () => {
  // With the platform's contracts: `/portal/{page}` must not take the path of a file.
  gateway = await startHarness({ contracts: [...platformContracts, ...platformPages], pages: sitePages() });
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });

it.each([
  ['/portal/portal.css', 'text/css; charset=utf-8', ':root{'],
  ['/operator/operations.css', 'text/css; charset=utf-8', '.tiles'],
  ['/portal/live-form.js', 'text/javascript; charset=utf-8', "'use strict';"],
  ['/portal/live-part.js', 'text/javascript; charset=utf-8', "'use strict';"],
])('serves %s from the disk, without calling a service', async (path, type, part) => {
  const answer = await get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
  expect((await answer.text()).replaceAll(' {', '{')).toContain(part);
  expect((await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304);
});

it('has little script, because the pages work without any', () => {
  const scripts = sitePages().filter(({ path }) => path.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(1);
  const bytes = scripts.reduce((sum, { body }) => sum + body.length, 0);
  expect(bytes).toBeLessThan(6_500);
});
