import { identifierFields, parseQuery, receiptFields, type FieldCatalogue } from '@receipts/search-language';
import { searchableFields, searchGuide } from './search-guide';

const listed = (fields: Record<string, readonly string[]>) =>
  Object.entries(fields)
    .flatMap(([type, paths]) => paths.map((path) => `${path} ${type}`))
    .sort();
/** Retailers' own fields are beside the tables. */
const known = (catalogue: FieldCatalogue) =>
  [...catalogue.values()]
    .map(({ path, type }) => `${path} ${type}`)
    .filter((line) => !/(^|\.)dynamic /.test(line))
    .sort();

it('lists every search field, and no other', () => {
  expect(listed(searchableFields.receipts)).toEqual(known(receiptFields()));
  expect(listed(searchableFields.identifiers)).toEqual(known(identifierFields));
});

it('shows valid queries', () => {
  const page = searchGuide((_title, content) => ({ contentType: 'text/html', body: Buffer.from(content) }));
  const html = page.body.toString();
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  const shown = [...html.matchAll(/<td><code>([^<]+)<\/code><\/td>/g)]
    .map(([, text = '']) => text.replace(/&(lt|gt|quot|amp);/g, (_all, name: string) => entities[name] ?? ''))
    .filter((text) => text.includes(':'));
  expect(shown.length).toBeGreaterThan(15);
  for (const query of shown) expect(() => parseQuery(query)).not.toThrow();
  for (const path of Object.values(searchableFields.receipts).flat())
    expect(html).toContain(`<code>${path}</code>`);
});
