import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { zipSync } from 'fflate';
import { z } from 'zod';
import type { Logo } from '../images/logo';
import { defaultBrandColour, textColourOn } from '../page/page-style';
import type { ReceiptView } from '../view/view';
import { signatureOf, type Signer } from './cms-signature';
import { receiptIcon } from './icon';

/** The first date that a ZIP archive can express. With a fixed date, the archive depends only on its files. */
const archiveDate = new Date(1980, 0, 1);

export interface PassSigner extends Signer {
  readonly passTypeId: string;
  readonly teamId: string;
}

const pem = z.string().min(1);

/** The certificate of a pass type, as issued by Apple. Its subject names the pass type and the team. */
export const appleWallet = z
  .strictObject({ certificate: pem, private_key: pem, intermediate: pem })
  .transform((given, ctx): PassSigner => {
    try {
      const certificate = new X509Certificate(given.certificate);
      const key = createPrivateKey(given.private_key);
      const intermediate = new X509Certificate(given.intermediate);
      const named = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(certificate.subject)?.[1];
      const [passTypeId, teamId] = [named('UID'), named('OU')];
      if (!certificate.checkPrivateKey(key)) ctx.addIssue('private_key must be the key of the certificate');
      else if (passTypeId === undefined || teamId === undefined) {
        ctx.addIssue('certificate must name a pass type and a team');
      } else return { certificate, key, intermediate, passTypeId, teamId };
    } catch {
      ctx.addIssue('must contain certificates and a key in PEM');
    }
    return z.NEVER;
  });

const backTextMax = 4_000;

/** As many lines as a field can show. */
function limited(lines: readonly string[]): string {
  let left = backTextMax;
  const kept = lines.filter((line) => (left -= line.length + 1) >= 0);
  return [...kept, ...(kept.length < lines.length ? ['…'] : [])].join('\n');
}

const rgb = (colour: string) => `rgb(${[...Buffer.from(colour.slice(1), 'hex')].join(', ')})`;
const inks = { '#000': 'rgb(0, 0, 0)', '#fff': 'rgb(255, 255, 255)' } as const;

interface Field {
  readonly key: string;
  readonly label: string;
  readonly value: string;
}

const filled = (fields: readonly Field[]) => fields.filter(({ value }) => value !== '');

function backFields(view: ReceiptView, page: string): readonly Field[] {
  const { labels, brand, store } = view;
  const amounts = (lines: readonly { readonly label: string; readonly amount: string }[]) =>
    limited(lines.map(({ label, amount }) => `${label}  ${amount}`));
  return filled([
    {
      key: 'items',
      label: labels.items,
      value: limited(view.items.map(({ name, total }) => `${name}  ${total}`)),
    },
    { key: 'taxes', label: labels.tax, value: amounts(view.taxes) },
    { key: 'payments', label: labels.payment, value: amounts(view.payments) },
    { key: 'address', label: labels.store, value: limited(store.map(({ text }) => text)) },
    { key: 'page', label: labels.receipt, value: page },
    {
      key: 'footer',
      label: brand.name,
      value: limited([...brand.footer, ...brand.links.map(({ href }) => href)]),
    },
  ]);
}

function passOf(view: ReceiptView, id: string, page: string, { passTypeId, teamId }: PassSigner): object {
  const { labels, brand, store, total } = view;
  const background = brand.colour ?? defaultBrandColour;
  const ink = inks[textColourOn(background)];
  return {
    formatVersion: 1,
    passTypeIdentifier: passTypeId,
    teamIdentifier: teamId,
    serialNumber: id,
    organizationName: brand.name,
    logoText: brand.name,
    description: `${labels.receipt} ${view.number}`,
    backgroundColor: rgb(background),
    foregroundColor: ink,
    labelColor: ink,
    voided: view.isVoided,
    barcodes: [{ format: 'PKBarcodeFormatQR', message: page, messageEncoding: 'iso-8859-1' }],
    generic: {
      primaryFields: [{ key: 'total', label: labels.total, value: total.amount }],
      secondaryFields: filled([
        { key: 'store', label: labels.store, value: store[0]?.text ?? '' },
        { key: 'date', label: labels.date, value: view.date },
      ]),
      auxiliaryFields: filled([{ key: 'number', label: labels.number, value: view.number }]),
      backFields: backFields(view, page),
    },
  };
}

/** A receipt as a signed pass for Apple Wallet: a ZIP archive with the digests of its files and their signature. */
export function applePass(
  view: ReceiptView,
  { id, page, logo }: { readonly id: string; readonly page: string; readonly logo?: Logo | undefined },
  signer: PassSigner,
  now: Date,
): Buffer {
  const colour = view.brand.colour ?? defaultBrandColour;
  const files = new Map([
    ['pass.json', Buffer.from(JSON.stringify(passOf(view, id, page, signer)))],
    ['icon.png', receiptIcon(colour, 1)],
    ['icon@2x.png', receiptIcon(colour, 2)],
    ['icon@3x.png', receiptIcon(colour, 3)],
  ]);
  if (logo?.type === 'image/png') files.set('logo.png', logo.content).set('logo@2x.png', logo.content);
  const digests = [...files].map(([name, content]) => [
    name,
    createHash('sha1').update(content).digest('hex'),
  ]);
  const manifest = Buffer.from(JSON.stringify(Object.fromEntries(digests)));
  files.set('manifest.json', manifest).set('signature', signatureOf(manifest, signer, now));
  return Buffer.from(zipSync(Object.fromEntries(files), { level: 0, mtime: archiveDate }));
}
