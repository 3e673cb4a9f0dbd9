import { createPrivateKey, type KeyObject } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { z } from 'zod';
import { defaultBrandColour } from '../page/page-style';
import type { ReceiptView } from '../view/view';

export interface PassIssuer {
  readonly issuerId: string;
  readonly clientEmail: string;
  readonly key: KeyObject;
}

/** RS256 requires it (RFC 7518, 3.3). */
const keyBitsMin = 2048;

/** The issuer of passes, and the service account that signs them. */
export const googleWallet = z
  .strictObject({
    issuer_id: z.string().regex(/^\d{1,30}$/),
    client_email: z.string().min(1),
    private_key: z.string().min(1),
  })
  .transform(({ issuer_id: issuerId, client_email: clientEmail, private_key }, ctx): PassIssuer => {
    try {
      const key = createPrivateKey(private_key);
      const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
      if (key.asymmetricKeyType === 'rsa' && modulusLength >= keyBitsMin)
        return { issuerId, clientEmail, key };
      ctx.addIssue(`private_key must be an RSA key of at least ${keyBitsMin} bits`);
    } catch {
      ctx.addIssue('private_key must be a key in PEM');
    }
    return z.NEVER;
  });

const base = 'https://pay.google.com/gp/v/save/';
/** Browsers and proxies may truncate longer links (Google's documentation of signed links). */
const linkCharactersMax = 1_800;
const textCharactersMax = 60;

interface Issued {
  readonly id: string;
  readonly page: string;
  /** When the receipt was issued, ISO 8601. */
  readonly timestamp: string;
}

/** Members of a pass. */
interface Part {
  readonly textModulesData?: readonly object[];
  readonly logo?: object;
  readonly linksModuleData?: object;
}

/** The optional parts of a pass, the most important first. */
function optionalParts(view: ReceiptView, page: string): readonly Part[] {
  const { labels, brand, store } = view;
  const text = (id: string, header: string, body: string) => ({
    textModulesData: [{ id, header, body: body.slice(0, textCharactersMax) }],
  });
  const [shop] = store;
  return [
    text('date', labels.date, view.date),
    ...(brand.logo?.startsWith('https:') ? [{ logo: { sourceUri: { uri: brand.logo } } }] : []),
    ...(shop ? [text('store', labels.store, shop.text)] : []),
    text('number', labels.number, view.number),
    { linksModuleData: { uris: [{ id: 'page', uri: page, description: labels.viewReceipt }] } },
  ];
}

function merged(parts: readonly Part[]): object {
  const textModulesData = parts.flatMap((part) => part.textModulesData ?? []);
  const all = parts.reduce<Part>((before, part) => ({ ...before, ...part }), {});
  return { ...all, ...(textModulesData.length > 0 && { textModulesData }) };
}

/**
 * The link that saves a receipt in Google Wallet: a JWT signed with the service account's key. The same receipt has the
 * same link, so that its page does not change. Optional parts that would make the link too long are omitted.
 */
export function googlePassLink(
  view: ReceiptView,
  { id, page, timestamp }: Issued,
  { issuerId, clientEmail, key }: PassIssuer,
): string {
  const localized = (value: string) => ({
    defaultValue: { language: view.locale, value: value.slice(0, textCharactersMax) },
  });
  const classId = `${issuerId}.receipt`;
  const pass = {
    id: `${issuerId}.${id}`,
    classId,
    state: view.isVoided ? 'INACTIVE' : 'ACTIVE',
    cardTitle: localized(view.brand.name),
    header: localized(view.total.amount),
    hexBackgroundColor: view.brand.colour ?? defaultBrandColour,
    barcode: { type: 'QR_CODE', value: page },
  };
  const claims = (parts: readonly Part[]) => ({
    iss: clientEmail,
    aud: 'google',
    typ: 'savetowallet',
    iat: Math.floor(Date.parse(timestamp) / 1000),
    payload: { genericClasses: [{ id: classId }], genericObjects: [{ ...pass, ...merged(parts) }] },
  });
  const linkWith = (parts: readonly Part[]) => `${base}${sign(claims(parts), key, { algorithm: 'RS256' })}`;
  const optional = optionalParts(view, page);
  let link = linkWith(optional);
  for (let count = optional.length - 1; link.length > linkCharactersMax && count >= 0; count--) {
    link = linkWith(optional.slice(0, count));
  }
  return link;
}
