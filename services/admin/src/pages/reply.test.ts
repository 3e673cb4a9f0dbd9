import { html } from '@receipts/html';
import { pageReply, type PageContent } from './reply';

const frame = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const documentPolicy = "default-src 'none'; style-src 'sha256-a' 'sha256-b'; img-src https://shop.example";

it.each<[string, PageContent, string]>([
  ['a page', {}, `default-src 'none'; style-src 'self'; ${frame}`],
  [
    'a page with a script',
    { hasScript: true },
    `default-src 'none'; style-src 'self'; ${frame}; script-src 'self'; connect-src 'self'`,
  ],
  [
    'a page with a receipt',
    { documentPolicy },
    `default-src 'none'; style-src 'self' 'sha256-a' 'sha256-b'; ${frame}; img-src https://shop.example`,
  ],
  [
    'a page with a receipt without a logo',
    { documentPolicy: "default-src 'none'; style-src 'sha256-a'" },
    `default-src 'none'; style-src 'self' 'sha256-a'; ${frame}`,
  ],
  [
    'a page with previews',
    { hasScript: true, hasPreviews: true },
    `default-src 'none'; style-src 'self' 'unsafe-inline'; ${frame}; script-src 'self'; connect-src 'self'; img-src http: https: data:; object-src data:; frame-src data:`,
  ],
])('%s allows only what it contains', (_, content, policy) => {
  const { headers } = pageReply(html`<p></p>`, 200, content).meta;
  expect(headers['content-security-policy']).toBe(policy);
});
