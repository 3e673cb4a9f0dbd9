import type { Verification } from '@receipts/contracts';
import { idempotent } from '@receipts/host/open-service';
import type { Endpoint } from '../endpoint';
import { readReceipt } from '../read-receipt';
import { labelLocale } from '../rendering/labels/locale';
import { withRefusalPage } from '../rendering/use-cases/refusal-page';
import { openLink, type LinkParts } from '../rendering/use-cases/open-link';
import type { Proofs } from './storage/proofs';
import { readSubmission } from './read-submission';
import type { SigningKeys } from './storage/signing-keys';
import { verifyPageOf } from './verify-page';
import { verify } from './verify-proof';

interface Parts extends LinkParts {
  readonly proofs: Proofs;
  readonly keys: SigningKeys;
}

const meta = { contentType: 'application/jose' };
const fallback = 'en';

function getReceiptProof(parts: Parts): Endpoint<'getReceiptProof'> {
  return async ({ params: { id }, query: { consumer } }, call) => {
    const receipt = await readReceipt({ id, consumer }, call, parts);
    return { body: Buffer.from(await parts.proofs.of(call.retailer, receipt)), meta };
  };
}

function showReceiptProof(parts: Parts): Endpoint<'showReceiptProof'> {
  return async ({ params }, call) => {
    const { receipt, retailer } = await openLink(params.token, call, parts);
    return { body: Buffer.from(await parts.proofs.of(retailer.id, receipt)), meta };
  };
}

function pageIn(lang: string | undefined, acceptLanguage: string | undefined, result?: Verification) {
  const locale = labelLocale({ lang, acceptLanguage }, fallback);
  const { html, contentSecurityPolicy } = verifyPageOf(locale, result);
  return {
    body: Buffer.from(html),
    meta: { contentType: 'text/html; charset=utf-8', language: locale, contentSecurityPolicy },
  };
}

function verifyProof(parts: Parts): Endpoint<'verifyProof'> {
  return async ({ body, contentType, query, headers }, call) => {
    const submission = await readSubmission(body, contentType);
    const result = await verify(submission, call, parts);
    // A form that is submitted empty contains no proof to verify.
    const page = pageIn(query.lang, headers['accept-language'], submission.proof ? result : undefined);
    if (headers.accept !== 'application/json') return page;
    return {
      body: Buffer.from(JSON.stringify(result)),
      meta: { ...page.meta, contentType: 'application/json', contentSecurityPolicy: "default-src 'none'" },
    };
  };
}

/** Proofs of receipts, their keys, and their verification. */
export const proofHandlers = (parts: Parts) => ({
  getReceiptProof: getReceiptProof(parts),
  showReceiptProof: withRefusalPage(parts, showReceiptProof(parts)),
  verifyProof: verifyProof(parts),
  showVerification: (async ({ query, headers }) =>
    pageIn(query.lang, headers['accept-language'])) satisfies Endpoint<'showVerification'>,
  listSigningKeys: (async () => ({
    body: { keys: await parts.keys.list() },
    meta: {},
  })) satisfies Endpoint<'listSigningKeys'>,
  rotateSigningKeys: idempotent((async (_input, call) => ({
    body: { kid: await parts.keys.rotate(call.id) },
  })) satisfies Endpoint<'rotateSigningKeys'>),
});
