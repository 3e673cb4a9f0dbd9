import { createHash } from 'node:crypto';
import { renderedAtOnce } from '../in-steps';
import { pageInSteps } from './page';
import { plainTextOf } from '../mail/plain-text';
import { qrSvg } from '../images/qr';
import { brandedSettings, fullReceipt } from '../../testing/rendered-samples';
import { viewOf } from '../view/view';

async function page(receipt = fullReceipt(), lang?: string) {
  const links = {
    page: 'https://receipts.example/r/t',
    proof: '',
    pdf: 'https://receipts.example/r/t/pdf',
    lang,
    qrSvg: await qrSvg('https://receipts.example/r/t'),
  };
  return renderedAtOnce(pageInSteps(viewOf(receipt, brandedSettings, { lang }), receipt, links));
}

describe('pageInSteps', () => {
  it('shows items, total, payments, place and time', async () => {
    const { html } = await page();
    for (const text of [
      'Red cotton shirt',
      '€71.96',
      '€24.99',
      '•••• 1234',
      'Maison Lumière Opéra',
      'T-2026-000173',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('<html lang="en-GB" dir="ltr">');
    expect(html).toContain('noindex');
  });

  it('shows a long total in smaller letters, so that it fits a phone', async () => {
    const classOf = async (total: number) =>
      /<p class="(amount[^"]*)">/.exec((await page(fullReceipt({ total }))).html)?.[1];
    expect(await classOf(71.96)).toBe('amount');
    expect(await classOf(12345.67)).toBe('amount long');
    expect(await classOf(12345678901.23)).toBe('amount longer');
  });

  it('escapes the till’s texts in the page and in its data', async () => {
    const evil = `</script><script>alert(1)</script><img src=x onerror="alert('1')">`;
    const [item] = fullReceipt().items;
    const base = fullReceipt();
    const receipt = fullReceipt({
      transaction_id: evil,
      items: [
        { ...(item as NonNullable<typeof item>), name: evil, unit: evil, properties: { details: [evil] } },
      ],
      retailer: { name: evil, vatno: evil },
      store: { ...base.store, name: evil, address: [evil] },
      payments: [{ method: evil, amount: 1, currency: null, tip: null, type: evil }],
    });
    const { html } = await page(receipt);
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<img');
    expect(html.match(/<\/script>/g)).toHaveLength(1);
  });

  it('allows no script and only its own styles', async () => {
    const { html, contentSecurityPolicy } = await page();
    const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style ?? '');
    expect(styles).toHaveLength(2);
    for (const style of styles) {
      const hash = createHash('sha256').update(style).digest('base64');
      expect(contentSecurityPolicy).toContain(`'sha256-${hash}'`);
    }
    expect(contentSecurityPolicy).toContain("default-src 'none'");
    expect(contentSecurityPolicy).not.toMatch(/unsafe|script-src|\*/);
    expect(html).not.toMatch(/ style="| on[a-z]+="/);
  });

  it('links to a map, a phone call, both PDFs in the chosen language, and other languages', async () => {
    const { html } = await page(fullReceipt(), 'fr');
    expect(html).toContain('href="tel:+33123456789"');
    expect(html).toContain('href="https://www.google.com/maps/');
    expect(html).toContain('href="https://receipts.example/r/t/pdf?lang=fr"');
    expect(html).toContain('href="https://receipts.example/r/t/pdf?format=roll&amp;lang=fr"');
    expect(html).toMatch(/<a href="\?lang=ja" lang="ja" hreflang="ja" *><bdi>日本語<\/bdi><\/a>/);
    expect(html).toContain('hreflang="fr" aria-current="true"');
  });

  it('describes the sale in a machine-readable format', async () => {
    const { html } = await page();
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(json)).toMatchObject({ '@type': 'Order', orderNumber: 'T-2026-000173' });
  });

  it('states in its language that the receipt was voided, and strikes through its content', async () => {
    const voided = { timestamp: '2026-05-17T10:00:00+00:00', reason: null, transaction_id: null };
    const plain = (await page()).html;
    expect(plain).not.toMatch(/voided">|<s>/);
    const { html } = await page(fullReceipt({ voided }), 'de');
    expect(html).toContain('<p class="badge">Dieser Bon wurde storniert.</p>');
    expect(html).toContain('<article class="voided">');
    expect(html).toMatch(/<p class="amount"><s><bdi>71,96.€<\/bdi><\/s><\/p>/);
    expect(html).toContain('https://schema.org/OrderCancelled');
  });

  it('is written from right to left in Arabic', async () => {
    expect((await page(fullReceipt(), 'ar')).html).toContain('dir="rtl"');
  });
});

describe('plainTextOf', () => {
  it('right-aligns amounts in lines of 42 characters', () => {
    const text = plainTextOf(viewOf(fullReceipt(), brandedSettings));
    expect(text).toContain(`Total${' '.repeat(31)}€71.96`);
    expect(text).toContain(`Red cotton shirt${' '.repeat(20)}€49.98\n  2 × €24.99`);
    expect(text.endsWith('\n')).toBe(true);
  });
});
