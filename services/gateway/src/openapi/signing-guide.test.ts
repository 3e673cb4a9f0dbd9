import { createHmac } from 'node:crypto';
import { verify } from 'jsonwebtoken';
import { UrlSignatures } from '../authentication/url-signature';
import type { CredentialBook } from '../authentication/credential-book';
import { parseQuery } from '../parameters/query-string';
import { signingGuide, signingVectors } from './signing-guide';

const { secret, url, bearer, webhook } = signingVectors;
const signingKey = Buffer.from(secret, 'base64');

it.each(url)('shows a valid signature: $what', async ({ query, message }) => {
  const credential = { authentication: 'hmac', revoked: false, signature_max_age: null };
  const book = { get: () => ({ credential, signingKey, caller: {} }) } as unknown as CredentialBook;
  const args = parseQuery(query);
  const expires = Number(args.get('expires')?.[0]);
  const signatures = new UrlSignatures(book, () => (expires - 60) * 1_000);
  const [, consumer] = message.split('\n').length === 3 ? message.split('\n') : [];
  expect(await signatures.authenticate(args)).toEqual(
    consumer === undefined ? {} : { consumers: consumer.split(',') },
  );
});

it('shows a valid token', () => {
  const { header, payload } = verify(bearer.token, signingKey, { algorithms: ['HS256'], complete: true });
  expect([header, payload]).toEqual([JSON.parse(bearer.header), JSON.parse(bearer.payload)]);
});

it('shows a valid webhook', () => {
  const { id, timestamp, body, signature } = webhook;
  const digest = createHmac('sha256', signingKey).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(signature).toBe(`v1,${digest}`);
});

it('shows every test vector as text', () => {
  const page = signingGuide((_title, content) => ({
    contentType: 'text/html',
    body: Buffer.from(content.text),
  }));
  const html = page.body.toString();
  const asText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  for (const text of [...url.map(({ query }) => query), bearer.token, webhook.body, webhook.signature]) {
    expect(html).toContain(asText(text));
  }
});
