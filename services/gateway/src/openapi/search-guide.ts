import { html, type Html, type HtmlPart } from '@receipts/html';
import {
  identifierFields,
  receiptFields,
  type FieldCatalogue,
  type FieldType,
} from '@receipts/search-language';
import type { Page } from '../http/pages';
import type { Frame } from './docs-frame';
import { inline } from './description-html';

/** The types of fields: how values are compared, with an example. */
const types = {
  partial: ['consecutive words, regardless of case and accents', 'items.name:"red shirt"'],
  prefix: ['words, of which the last may be incomplete', 'properties.name.last:smi'],
  exact: ['the whole text, or a prefix followed by `*`', 'payments.method:card'],
  integer: ['whole numbers, alone, in ranges or with `>=`, `<`', 'items_length:[2 TO 5]'],
  float: ['numbers, alone, in ranges or with `>=`, `<`', 'total:>=9.99'],
  date: [
    'ISO 8601 times of any precision: a date covers the whole day',
    'timestamp:[2026-03-01 TO 2026-04-01}',
  ],
  exists: ['only whether the field exists', 'items.return:*'],
} as const satisfies Record<FieldType, readonly [string, string]>;

const syntax: readonly (readonly [string, string])[] = [
  [
    'total:10 items.name:tea',
    'either condition suffices; receipts that meet both come first, then newer receipts',
  ],
  ['+total:10 +items.name:tea', 'both conditions are required; `AND` between them is equivalent'],
  [
    'items.name:tea -items.name:green',
    'the second condition excludes receipts; `NOT` and `!` are equivalent',
  ],
  ['items.name:(tea coffee)', 'one or more of the words; `+` and `-` also work in brackets'],
  ['items.name:"earl grey"~2', 'a phrase, with at most two words in between'],
  ['items.name:shrit~', 'similar words: up to two wrong letters; in short words, one or none'],
  ['items.name:shi*', 'words with this prefix'],
  ['total:[10 TO 20}', '`[` `]` include the bound, `{` `}` exclude it; `*` means no bound'],
  ['payments:*', 'the field exists; `-payments:*` requires that it does not; `"*"` is the asterisk itself'],
];

const table = (rows: readonly (readonly HtmlPart[])[]) =>
  html`<table>
    ${rows.map(
      (cells) =>
        html`<tr>
          ${cells.map((cell) => html`<td>${cell}</td>`)}
        </tr>`,
    )}
  </table>`;
const code = (text: string) => html`<code>${text}</code>`;

/** Retailers' own fields are described outside the table. */
const isOwn = (path: string) => /(^|\.)dynamic$/.test(path);

function fieldTable(catalogue: FieldCatalogue): Html {
  const fields = [...catalogue.values()].filter(({ path }) => !isOwn(path));
  const rows = Object.entries(types).flatMap(([type, [meaning, example]]) => {
    const paths = fields.filter((field) => field.type === type).map(({ path }) => code(path));
    if (paths.length === 0) return [];
    const lines = paths.map((one, i) => (i === 0 ? one : html`<br />${one}`));
    return [[lines, html`<strong>${type}</strong><br />${inline(meaning)}`, code(example)]];
  });
  return table(rows);
}

/** `/docs/search`: the language of `_search`, and its fields. */
export function searchGuide(frame: Frame): Page {
  const content = html`<h1>Searching</h1>
    <p>
      ${inline('A query consists of conditions `path:value`, separated by spaces: at most 64, in 4 KiB. A backslash escapes the next character. A condition on items is met if one item meets it.')}
    </p>
    ${table(syntax.map(([query, meaning]) => [code(query), inline(meaning)]))}
    <h2>Fields of receipts</h2>
    ${fieldTable(receiptFields())}
    <p>
      ${inline('`dynamic.<name>` and `items.dynamic.<name>` are fields of your own: the retailer’s `dynamic_fields` define them and their types. With `consumer`, `identifier` cannot be searched.')}
    </p>
    <h2>Fields of identifiers</h2>
    ${fieldTable(identifierFields)}`;
  return { path: '/docs/search', ...frame('Search language', content, '/docs/search') };
}
