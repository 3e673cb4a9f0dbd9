import { escapeHtml } from '@receipts/contracts';
import type { ErrorDefinition } from '@receipts/kernel';
import type { Page } from '../http/pages';
import { isMounted, type Contracts } from '../http/routes';
import { reasonOf } from '../http/responder';
import { errorsOf } from './errors';
import { inline } from './html';

/** Cause and cure of error codes. A code that is not listed is explained by its own description and status. */
const advice: Readonly<Record<string, { readonly cause: string; readonly cure: string }>> = {
  bad_request: {
    cause:
      'The request is not HTTP as RFC 9112 has it, or could be read in two ways: two `Host` or `Authorization` headers, an unknown transfer coding.',
    cure: 'Use an HTTP library, and look at what proxies add. The connection is closed: open another.',
  },
  expectation_failed: {
    cause: '`Expect` names something other than `100-continue`.',
    cure: 'Leave `Expect` out, or send `Expect: 100-continue`.',
  },
  malformed_body: {
    cause: 'The body is empty, not UTF-8, not JSON, or nests deeper than 32 levels.',
    cure: 'Print it with a JSON library, and send it as UTF-8 with its whole length.',
  },
  invalid_parameter: {
    cause:
      'A query parameter, header or part of the path is unknown, repeated, or has a value that it cannot have.',
    cure: '`errors` names each one. Unknown parameters are refused, so that a slip of the pen does not widen a list.',
  },
  invalid_query: {
    cause: 'The search query cannot be read, or names a field that cannot be searched.',
    cure: 'The description says what, and where. Values with blanks want double quotes.',
  },
  unknown_cursor: {
    cause:
      'No earlier answer contained this cursor, or a restore from a backup has lost its position. `errors` names the parameter.',
    cure: 'Start again with the first page, and follow its links unchanged.',
  },
  unauthorized: {
    cause:
      'There is no credential, or the token is malformed, expired, revoked, of an unknown key, issued in the future, or signed with another secret. The description says which, except for a wrong secret.',
    cure: 'Send `Authorization: Bearer <token>`, signed with HS256 by the decoded secret, with the `kid` of the client.',
  },
  invalid_signature: {
    cause: 'The URL signature does not match, has expired, or lives longer than it may.',
    cure: 'The description says which. Sign `key`, newline, `consumer` exactly as it is sent, newline, `expires`; check the clock.',
  },
  permission_denied: {
    cause:
      'The credential lacks the permission, would grant permissions that it lacks, or would change a client that has more.',
    cure: 'Use a client that has the permissions that the description names.',
  },
  origin_not_allowed: {
    cause:
      'A web page asked to call with this key, and its origin is not among the `cors.origins` of the retailer.',
    cure: 'Have the operator add the origin to the settings of the retailer.',
  },
  consumer_mismatch: {
    cause: 'The credential is confined to consumers, and the request is for somebody else or for nobody.',
    cure: 'Name one of the signed consumers, or sign for the right one.',
  },
  not_found: {
    cause: 'There is nothing at this address, or it belongs to another retailer.',
    cure: 'Check the address.',
  },
  method_not_allowed: {
    cause: 'The address exists, but not for this method.',
    cure: '`Allow` lists the methods.',
  },
  not_acceptable: {
    cause: 'No representation meets `Accept`.',
    cure: 'Leave `Accept` out, or allow one of the described types.',
  },
  delivery_in_progress: {
    cause:
      'The delivery that is to be replayed is being posted at this moment: a second attempt beside it would reach the receiver twice.',
    cure: 'Look at the delivery after 15 seconds; replay it if it has failed.',
  },
  idempotency_mismatch: {
    cause: 'The `Idempotency-Key` was used with another request within 24 hours.',
    cure: 'A new request wants a new key; a repetition wants the same body to the letter.',
  },
  duplicate_transaction_id: {
    cause: 'A receipt with this transaction id already exists; `id` is its id.',
    cure: 'If it is the same sale, it is done. A copy on purpose wants `duplicate: true`.',
  },
  duplicate_external_id: {
    cause: 'A receipt with this external id already exists.',
    cure: 'Give each receipt an external id of its own.',
  },
  processing_pending: {
    cause: 'The raw receipt was accepted and is not converted yet.',
    cure: 'Ask again in a second. `GET /pos/packets/{id}` tells how far it is.',
  },
  body_too_large: {
    cause: 'The body is larger than its limit.',
    cure: 'Post large data as an attachment, and link to it.',
  },
  headers_too_large: {
    cause: 'A header is larger than 8 KiB, or all together larger than 32 KiB.',
    cure: 'Send less in headers.',
  },
  query_too_large: {
    cause: 'The query string is longer than 4 KiB.',
    cure: 'Ask for fewer values at a time.',
  },
  unsupported_media_type: {
    cause: 'The `Content-Type`, its charset, or a content encoding is not supported here.',
    cure: 'Send a described type, in UTF-8, not compressed. Patches are `application/json-patch+json`.',
  },
  schema_validation_failed: {
    cause: 'The body is JSON, but not what is described.',
    cure: '`errors` has the path of each fault. Unknown fields are faults too.',
  },
  too_many: {
    cause: 'The body has more items, properties or values than anybody needs.',
    cure: 'Split it; the description names the bound.',
  },
  rate_limited: {
    cause: 'Too many requests in too short a time.',
    cure: 'Wait for as many seconds as `Retry-After` says.',
  },
  unavailable: {
    cause: 'A part of the service is away or too busy. The request may have been carried out all the same.',
    cure: 'Send it again after `Retry-After` seconds, with the same `Idempotency-Key` or transaction id.',
  },
  broker_management_missing: {
    cause:
      "Subscriptions are created through RabbitMQ's management interface, and the platform has no address of it.",
    cure: 'Set `BROKER_MANAGEMENT_URL` of the admin service and restart it. Sending the request again does not help.',
  },
  internal_error: { cause: 'A fault of ours.', cure: 'Tell us the `request_id`.' },
  unsupported_version: {
    cause: '`service-api-version` is neither 1 nor 2.',
    cure: 'Send `1` or `2`, or leave it out for 1.',
  },
  precondition_failed: {
    cause: 'It was changed since it was read.',
    cure: 'Read it again, and send the new `ETag` as `If-Match`.',
  },
};

function usualAdvice({ status, description }: ErrorDefinition): { cause: string; cure: string } {
  const cause = `${description[0]?.toUpperCase() ?? ''}${description.slice(1)}.`;
  if (status === 404)
    return { cause, cure: 'Check the name; what belongs to another retailer does not exist for you.' };
  if (status === 409) return { cause, cure: 'Read what is there, and decide again.' };
  if (status === 429) return { cause, cure: 'Wait for as many seconds as `Retry-After` says.' };
  return {
    cause,
    cure: 'Change the request as the description says; the same request again is refused again.',
  };
}

interface Entry {
  readonly definitions: ErrorDefinition[];
  readonly operations: string[];
}

function entriesOf(contracts: readonly Contracts[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const contract of contracts.flatMap((owned) => Object.values(owned)).filter(isMounted)) {
    for (const definition of errorsOf(contract)) {
      const code = definition.code ?? reasonOf(definition.status).replaceAll(' ', '_');
      const entry = entries.get(code) ?? { definitions: [], operations: [] };
      entries.set(code, entry);
      const { status, description } = definition;
      if (!entry.definitions.some((known) => known.status === status && known.description === description)) {
        entry.definitions.push(definition);
      }
      entry.operations.push(`${contract.http.method} ${contract.http.path}`);
    }
  }
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const operationsShownMax = 12;

function operationsOf({ operations }: Entry): string {
  const unique = [...new Set(operations)];
  if (unique.length > operationsShownMax) return `<p>${unique.length} operations can give it.</p>`;
  return `<ul>${unique.map((operation) => `<li><code>${escapeHtml(operation)}</code></li>`).join('')}</ul>`;
}

function articleOf(code: string, entry: Entry): string {
  const [first] = entry.definitions;
  if (!first) return '';
  const { cause, cure } = advice[code] ?? usualAdvice(first);
  const forms = entry.definitions.map(
    ({ status, description }) => `<li><span class="status">${status}</span> ${escapeHtml(description)}</li>`,
  );
  return (
    `<h1><code>${escapeHtml(code)}</code></h1><ul>${forms.join('')}</ul><h2>Why</h2><p>${inline(cause)}</p>` +
    `<h2>What to do</h2><p>${inline(cure)}</p><h2>Where</h2>${operationsOf(entry)}`
  );
}

/** `/docs/errors` and a page for each code, with its cause and cure. `frame` adds the page's frame. */
export function errorPages(
  contracts: readonly Contracts[],
  frame: (title: string, content: string) => Omit<Page, 'path'>,
): Page[] {
  const entries = entriesOf(contracts);
  const rows = [...entries].map(([code, { definitions }]) => {
    const statuses = [...new Set(definitions.map(({ status }) => status))].join(', ');
    return (
      `<tr><td><a href="errors/${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a></td><td>${statuses}</td>` +
      `<td>${escapeHtml(definitions[0]?.description ?? '')}</td></tr>`
    );
  });
  const list =
    '<h1>Errors</h1><p>Every refusal has a stable <code>code</code>.</p>' + `<table>${rows.join('')}</table>`;
  return [
    { path: '/docs/errors', ...frame('Errors', list) },
    ...[...entries].map(([code, entry]) => ({
      path: `/docs/errors/${code}`,
      ...frame(code, `<p><a href="../errors">All errors</a></p>${articleOf(code, entry)}`),
    })),
  ];
}
