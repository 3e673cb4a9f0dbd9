import { identifierFields, parseQuery, receiptFields } from '@receipts/search-language';
import { searchGuide } from './search-guide';

const page = searchGuide((_title, content) => ({
  contentType: 'text/html',
  body: Buffer.from(content.text),
}));
const html = page.body.toString();

it('lists every search field once under its type', () => {
  for (const { path, type } of [...receiptFields().values(), ...identifierFields.values()]) {
    const rows = html.split('<tr>').filter((row) => row.includes(`<code>${path}</code>`));
    // Retailers' own fields are not part of the tables.
    if (/(^|\.)dynamic$/.test(path)) expect(rows).toEqual([]);
    else expect(rows.some((row) => row.includes(`<strong>${type}</strong>`))).toBe(true);
  }
});

it('shows valid queries', () => {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  const shown = [...html.matchAll(/<td><code>([^<]+)<\/code><\/td>/g)]
    .map(([, text = '']) => text.replace(/&(lt|gt|quot|amp);/g, (_all, name: string) => entities[name] ?? ''))
    .filter((text) => text.includes(':'));
  expect(shown.length).toBeGreaterThan(15);
  for (const query of shown) expect(() => parseQuery(query)).not.toThrow();
});
