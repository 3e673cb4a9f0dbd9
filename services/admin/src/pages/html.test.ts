import { html } from './html';

it('escapes text and keeps markup', () => {
  const hostile = `<script>"&'\u202e</script>`;
  expect(html`<p title="${hostile}">${html`<b>${1}</b>`}${['<', false, null, undefined]}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;"><b>1</b>&lt;</p>',
  );
});
