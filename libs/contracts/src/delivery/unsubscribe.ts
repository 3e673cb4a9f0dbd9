import { bytes, defineCommand, defineQuery, rawOutput, type HttpResponse } from '@receipts/kernel';
import { z } from 'zod';
import { languageHeader, languageParameter, linkNotFound, privatePage, tokenParams } from './receipt-links';
import { publicRoute } from '../shared/public-route';

const path = '/u/{token}';
const params = tokenParams;
const query = z.object({ lang: languageParameter });
const headers = z.object({ 'accept-language': languageHeader });
const meta = z.object({ contentType: z.string(), contentSecurityPolicy: z.string() });

const response = ({ contentSecurityPolicy }: z.input<typeof meta>): HttpResponse => ({
  headers: { ...privatePage, 'content-security-policy': contentSecurityPolicy },
});

/** A page with a confirmation button, because mail scanners open every link: GET must not change anything. */
export const showUnsubscribe = defineQuery(
  {
    name: 'delivery.show-unsubscribe',
    summary: 'Show the page to unsubscribe from receipts',
    description:
      'Returns a page with a button to confirm. The header `List-Unsubscribe` of e-mails points here.',
    http: { method: 'GET', path, ...publicRoute },
    params,
    query,
    headers,
    output: rawOutput,
    meta,
    errors: [linkNotFound],
  },
  { response },
);

/** One-click unsubscription, also called by mail programs (RFC 8058). */
export const unsubscribe = defineCommand(
  {
    name: 'delivery.unsubscribe',
    summary: 'Unsubscribe from receipts',
    description:
      "Opts the recipient of the e-mail out of receipts, even if the receipt has been deleted or now belongs to another consumer. Adds `receipts` to the consumer's opt-out tags, and stops sending receipts to the address on arrival. If the e-mail was sent to an address from `_send` that is not the consumer's, only the address is opted out. The body is ignored; mail programs send `List-Unsubscribe=One-Click` (RFC 8058). The request is idempotent.",
    http: { method: 'POST', path, ...publicRoute },
    params,
    query,
    headers,
    body: bytes('body'),
    output: rawOutput,
    meta,
    errors: [linkNotFound],
  },
  { response },
);
