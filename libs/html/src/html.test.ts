import { html, joined } from './html';

it('escapes text and keeps markup', () => {
  const hostile = `<script>"&'\u202e</script>`;
  expect(html`<p title="${hostile}">${html`<b>${1}</b>`}${['<', false, null, undefined]}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;"><b>1</b>&lt;</p>',
  );
});

it('leaves the indentation of the source out, and keeps that of values', () => {
  const listing = 'a\n    b';
  // The formatter would join these lines.
  // oxfmt-ignore
  const page = html`<ul>
      <li>one</li>
      <li><pre>${listing}</pre></li>
    </ul>`;
  expect(page.text).toBe('<ul>\n<li>one</li>\n<li><pre>a\n    b</pre></li>\n</ul>');
});

it('joins parts, escaping what is not markup', () => {
  expect(joined([html`<b>1</b>`, '<'], ' & ').text).toBe('<b>1</b> &amp; &lt;');
});

it('keeps the direction marks of formatted amounts', () => {
  const amount = new Intl.NumberFormat('he', { style: 'currency', currency: 'ILS' }).format(12);
  expect(amount).toContain('\u200f');
  expect(html`${amount}`.text).toBe(amount);
});
