import type { Verification } from '@receipts/contracts';
import { idempotent } from '@receipts/host/open-service';
import type { HandlerOf } from '../handler-of';
import { readReceipt } from '../read-receipt';
import { labelLocale } from '../rendering/labels/locale';
import { withRefusalPage } from '../rendering/use-cases/refusal-page';
import { openLink, type LinkDependencies } from '../rendering/use-cases/open-link';
import type { Proofs } from './storage/proofs';
import { readSubmission } from './read-submission';
import type { SigningKeys } from './storage/signing-keys';
import { verifyPageOf } from './verify-page';
import { verify } from './verify-proof';

interface Dependencies extends LinkDependencies {
  readonly proofs: Proofs;
  readonly keys: SigningKeys;
}

const meta = { contentType: 'application/jose' };
const fallback = 'en';

function getReceiptProof(deps: Dependencies): HandlerOf<'getReceiptProof'> {
  return async ({ params: { id }, query: { consumer } }, call) => {
    const receipt = await readReceipt({ id, consumer }, call, deps);
    return { body: Buffer.from(await deps.proofs.of(call.retailer, receipt)), meta };
  };
}

function showReceiptProof(deps: Dependencies): HandlerOf<'showReceiptProof'> {
  return async ({ params }, call) => {
    const { receipt, retailer } = await openLink(params.token, call, deps);
    return { body: Buffer.from(await deps.proofs.of(retailer.id, receipt)), meta };
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

function verifyProof(deps: Dependencies): HandlerOf<'verifyProof'> {
  return async ({ body, contentType, query, headers }, call) => {
    const submission = await readSubmission(body, contentType);
    const result = await verify(submission, call, deps);
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
export const proofHandlers = (deps: Dependencies) => ({
  getReceiptProof: getReceiptProof(deps),
  showReceiptProof: withRefusalPage(deps, showReceiptProof(deps)),
  verifyProof: verifyProof(deps),
  showVerification: (async ({ query, headers }) =>
    pageIn(query.lang, headers['accept-language'])) satisfies HandlerOf<'showVerification'>,
  listSigningKeys: (async () => ({
    body: { keys: await deps.keys.list() },
    meta: {},
  })) satisfies HandlerOf<'listSigningKeys'>,
  rotateSigningKeys: idempotent((async (_input, call) => ({
    body: { kid: await deps.keys.rotate(call.id) },
  })) satisfies HandlerOf<'rotateSigningKeys'>),
});
