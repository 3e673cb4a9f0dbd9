import { bytes, defineCommand, defineQuery, rawOutput, text, type HttpAnswer } from '@receipts/kernel';
import { z } from 'zod';
import { linkNotFound, privatePage, renderingRate } from './receipt-links';

const path = '/u/{token}';
const params = z.object({ token: text({ max: 200 }) });
const query = z.object({ lang: text({ max: 35, description: 'A language tag (RFC 5646).' }).optional() });
const headers = z.object({ 'accept-language': text().optional() });
const meta = z.object({ contentType: z.string(), contentSecurityPolicy: z.string() });

const answer = ({ contentSecurityPolicy }: z.input<typeof meta>): HttpAnswer => ({
  headers: { ...privatePage, 'content-security-policy': contentSecurityPolicy },
});

/** A page with a confirmation button, because mail scanners open every link: GET must not change anything. */
export const showUnsubscribe = defineQuery(
  {
    name: 'delivery.show-unsubscribe',
    summary: 'Ask a consumer whether they want no more receipts',
    description: 'What `List-Unsubscribe` of a mail leads to. A page with one button.',
    http: { method: 'GET', path, access: 'public', success: 200, rate: renderingRate },
    params,
    query,
    headers,
    output: rawOutput,
    meta,
    errors: [linkNotFound],
  },
  { answer },
);

/** One-click unsubscription, also called by mail programs (RFC 8058). */
export const unsubscribe = defineCommand(
  {
    name: 'delivery.unsubscribe',
    summary: 'Send a consumer no more receipts',
    description:
      "Adds `receipts` to the opt-out tags of the receipt's consumer. The body is `List-Unsubscribe=One-Click` (RFC 8058) or anything else; repeating it changes nothing.",
    http: { method: 'POST', path, access: 'public', success: 200, rate: renderingRate },
    params,
    query,
    headers,
    body: bytes('body'),
    output: rawOutput,
    meta,
    errors: [linkNotFound],
  },
  { answer },
);
