import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

interface Links {
  readonly webview: { readonly href: string; readonly qrcode: { readonly href: string } };
  readonly pdf: { readonly href: string };
}

let retailer: TestRetailer;
let anybody: Client;

beforeAll(async () => {
  const brand = { name: 'Maison Lumière', colour: '#8a1538' };
  retailer = await aRetailer({ response_links: true, locale: 'en_GB', brand });
  anybody = await anonymous();
});

const pathOf = (href: string) => new URL(href).pathname;

async function posted(overrides: Record<string, unknown> = {}): Promise<{ id: string; links: Links }> {
  const answer = await retailer.api.post('/receipts', aReceipt(overrides));
  return { id: answer.body.id, links: answer.body._links };
}

describe('_links of POST /receipts', () => {
  it('are returned as absolute URLs with a token that is not the id if the retailer has enabled links', async () => {
    const { id, links } = await posted();
    expect(links.webview.href).toMatch(/^https?:\/\/.+\/r\/[A-Za-z0-9_-]{40,}$/);
    expect(links.webview.href).not.toContain(id);
    expect(links.webview.qrcode.href).toBe(`${links.webview.href}/qr`);
    expect(links.pdf.href).toBe(`${links.webview.href}/pdf`);
  });

  it('are absent by default', async () => {
    const other = await aRetailer();
    const answer = await other.api.post('/receipts', aReceipt());
    expect(Object.keys(answer.body)).toEqual(['id']);
  });
});

describe('GET /r/{token}', () => {
  it('is a public page that search engines do not index and that runs no scripts', async () => {
    const { links } = await posted({ items: [{ name: '<b>Shirt</b>', quantity: 2, total: 10 }], total: 10 });
    const answer = await anybody.get(pathOf(links.webview.href), undefined, { accept: 'text/html' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.headers['x-robots-tag']).toBe('noindex, nofollow');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    const html = answer.bytes.toString('utf8');
    expect(html).toContain('&lt;b&gt;Shirt&lt;/b&gt;');
    expect(html).toContain('Maison Lumière');
  });

  it('ignores the parameters that messengers and newsletters add to links', async () => {
    const { links } = await posted();
    for (const path of [links.webview.href, links.pdf.href, links.webview.qrcode.href].map(pathOf)) {
      expect((await anybody.get(path, { fbclid: 'x', utm_source: 'mail' })).status).toBe(200);
    }
  });

  it('is plain text on request', async () => {
    const { links } = await posted();
    const answer = await anybody.get(pathOf(links.webview.href), undefined, { accept: 'text/plain' });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.bytes.toString('utf8')).toContain('Maison Lumière');
  });

  it('uses the requested language', async () => {
    const items = [{ name: 'Shirt', 'name:fr': 'Chemise', quantity: 1, total: 10 }];
    const path = pathOf((await posted({ items, total: 10 })).links.webview.href);
    const french = await anybody.get(path, undefined, {
      accept: 'text/html',
      'accept-language': 'fr-CA, en;q=0.5',
    });
    expect(french.headers['content-language']).toBe('fr');
    expect(french.bytes.toString('utf8')).toContain('Chemise');
    const german = await anybody.get(path, { lang: 'de' }, { accept: 'text/html', 'accept-language': 'fr' });
    expect(german.headers['content-language']).toBe('de');
    expect(german.bytes.toString('utf8')).toContain('Kassenbon');
  });

  it('is not sent again to a client that already has it', async () => {
    const path = pathOf((await posted()).links.webview.href);
    const first = await anybody.get(path, undefined, { accept: 'text/html' });
    const headers = { accept: 'text/html', 'if-none-match': first.headers.etag ?? '' };
    const second = await anybody.get(path, undefined, headers);
    expect([second.status, second.bytes.length]).toEqual([304, 0]);
  });

  it('shows patched values', async () => {
    const { id, links } = await posted();
    await retailer.api.patch(`/receipts/${id}`, [{ op: 'add', path: '/incomplete', value: true }]);
    const answer = await anybody.get(pathOf(links.webview.href), undefined, { accept: 'text/plain' });
    expect(answer.bytes.toString('utf8')).toContain('This receipt is not complete yet.');
  });

  it.each(['nonsense', 'A'.repeat(60), `${'a'.repeat(300)}`])(
    'rejects an invented token (%s)',
    async (token) => {
      const status = token.length > 200 ? 400 : 404;
      const page = await anybody.get(`/r/${token}`, undefined, { accept: 'text/html,*/*;q=0.8' });
      expect(page.status).toBe(status);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      const refusal = await anybody.get(`/r/${token}`, undefined, { accept: '*/*' });
      expect(refusal.status).toBe(status);
      expect(refusal.body).toMatchObject({ description: expect.any(String) as string });
    },
  );

  it("does not accept the receipt's id as a token", async () => {
    const { id } = await posted();
    expect((await anybody.get(`/r/${id}`)).status).toBe(404);
  });
});

describe('GET /r/{token}/pdf and /qr', () => {
  it.each(['a4', 'roll'])('returns a PDF on %s', async (format) => {
    const { links } = await posted({ transaction_id: `R/1 "${format}" ${Date.now()}` });
    const answer = await anybody.get(pathOf(links.pdf.href), { format });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/pdf');
    expect(answer.headers['content-disposition']).toMatch(/^inline; filename="R-1-[\w-]+\.pdf"$/);
    expect(answer.bytes.subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('returns 400 for an unsupported paper size', async () => {
    const { links } = await posted();
    expect((await anybody.get(pathOf(links.pdf.href), { format: 'letter' })).status).toBe(400);
  });

  it('returns the QR code as PNG, or as SVG on request', async () => {
    const path = pathOf((await posted()).links.webview.qrcode.href);
    const png = await anybody.get(path);
    expect(png.headers['content-type']).toBe('image/png');
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    const svg = await anybody.get(path, undefined, { accept: 'image/svg+xml' });
    expect(svg.headers['content-type']).toBe('image/svg+xml');
    expect(svg.bytes.toString('utf8')).toContain('<svg');
    expect((await anybody.get(path, undefined, { accept: 'image/webp' })).status).toBe(406);
  });
});

describe('GET /receipts/{id}/links and POST .../_revoke', () => {
  it('return the links of any receipt to callers that may read it', async () => {
    const { id, links } = await posted({ identifier: 'joe@example.com' });
    expect((await retailer.api.get(`/receipts/${id}/links`)).body).toEqual({ _links: links });
    const ann = retailer.signed({ consumer: 'ann@example.com' });
    expect((await ann.get(`/receipts/${id}/links`)).status).toBe(404);
    const other = await aRetailer();
    expect((await other.api.get(`/receipts/${id}/links`)).body.code).toBe('receipt_not_found');
    expect((await other.api.post(`/receipts/${id}/links/_revoke`, undefined)).body.code).toBe(
      'receipt_not_found',
    );
  });

  it('invalidate old links and create new links', async () => {
    const { id, links } = await posted();
    const revoked = await retailer.api.call(`/receipts/${id}/links/_revoke`, { method: 'POST' });
    expect(revoked.status).toBe(200);
    const old = await anybody.get(pathOf(links.webview.href), undefined, { accept: 'text/html' });
    expect(old.status).toBe(404);
    for (const part of ['/pdf', '/qr'])
      expect((await anybody.get(pathOf(links.webview.href) + part)).status).toBe(404);
    const path = pathOf(revoked.body._links.webview.href);
    expect((await anybody.get(path, undefined, { accept: 'text/html' })).status).toBe(200);
    expect((await retailer.api.get(`/receipts/${id}/links`)).body).toEqual(revoked.body);
  });
});
