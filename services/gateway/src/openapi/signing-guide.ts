import { html, type Html } from '@receipts/html';
import type { Page } from '../http/pages';
import type { Frame } from './docs-frame';
import { inline } from './description-html';

const secret = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const key = 'AKEXAMPLE00000000001';
const expires = '1900000000';

/** Test vectors for implementations of the signature. */
export const signingVectors = {
  secret,
  url: [
    {
      what: 'Without a consumer',
      message: `${key}\n${expires}`,
      query: `key=${key}&expires=${expires}&signature=0ezBCPaNeq57SClZb4KQ%2BeC9K8IB0OtrrrIJqWG6sds%3D`,
    },
    {
      what: 'With two identifiers of one consumer',
      message: `${key}\nanna@example.com,4711\n${expires}`,
      query: `key=${key}&consumer=anna%40example.com%2C4711&expires=${expires}&signature=oBYmdTgjZselFcKoR9Qeqj6g45BDagpnCv2Pyg2V%2F1w%3D`,
    },
    {
      what: 'With a space and letters beyond ASCII, as UTF-8',
      message: `${key}\nJosé Ñandú\n${expires}`,
      query: `key=${key}&consumer=Jos%C3%A9%20%C3%91and%C3%BA&expires=${expires}&signature=CfZp%2B6EShHzG4FFLx7hXmEoviaULkYNqwmz7vQ7jOxo%3D`,
    },
  ],
  bearer: {
    header: `{"alg":"HS256","typ":"JWT","kid":"${key}"}`,
    payload: '{"iat":1700000000}',
    token:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IkFLRVhBTVBMRTAwMDAwMDAwMDAxIn0.eyJpYXQiOjE3MDAwMDAwMDB9._p7TAkeZA8Wcyul3KIq_pbxi28m4XTO6o3eurMmk1LU',
  },
  webhook: {
    id: 'evt_example',
    timestamp: '1773491400',
    body: '{"type":"receipt.created","timestamp":"2026-03-14T12:30:00.000Z","data":{"id":"01example"}}',
    signature: 'v1,kffK9z0JlrTmHJkmBdiFcFcpUcMZca+qnv0Ex1H3YUY=',
  },
} as const;

/** Long lines scroll. `tabindex` makes scrolling possible with the keyboard. */
const pre = (text: string) => html`<pre tabindex="0">${text}</pre>`;
const samples = {
  node: `import { createHmac } from 'node:crypto';

function signedQuery(key, secret, expires, consumer) {
  const lines = consumer === undefined ? [key, expires] : [key, consumer, expires];
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(lines.join('\\n')).digest('base64');
  return new URLSearchParams({ key, ...(consumer !== undefined && { consumer }), expires, signature }).toString();
}`,
  python: `import base64, hashlib, hmac
from urllib.parse import urlencode

def signed_query(key, secret, expires, consumer=None):
    lines = [key, str(expires)] if consumer is None else [key, consumer, str(expires)]
    digest = hmac.new(base64.b64decode(secret), "\\n".join(lines).encode(), hashlib.sha256).digest()
    args = {"key": key, "expires": expires, "signature": base64.b64encode(digest).decode()}
    return urlencode(args if consumer is None else {**args, "consumer": consumer})`,
};

const list = (items: readonly string[]) =>
  html`<ul>
    ${items.map((item) => html`<li>${inline(item)}</li>`)}
  </ul>`;

function urlSection(): Html {
  const vectors = signingVectors.url.map(
    ({ what, message, query }) =>
      html`<h3>${what}</h3>
        <p>Signed, with line feeds between the lines:</p>
        ${pre(message)}
        <p>Sent:</p>
        ${pre(query)}`,
  );
  const rules = [
    'The message is `key`, line feed, `expires`; or `key`, line feed, `consumer`, line feed, `expires`. ' +
      'The message has no line feed at the end.',
    'It is signed with HMAC-SHA256 and the decoded secret; the signature is base64, percent-encoded in ' +
      'the URL. URL-safe base64 is accepted too.',
    '`consumer` is signed before percent-encoding: unsorted, untrimmed, including commas.',
    '`expires` is a Unix timestamp in whole seconds, at most 24 hours ahead, or as far as the client’s `signature_max_age` allows.',
    'Other arguments do not affect the signature: it is valid for all requests until it expires.',
    'Keep the secret on your server. The app requests `key`, `consumer`, `expires` and `signature` from ' +
      'that server, and stores them until they expire.',
  ];
  return html`<h2>URL signatures</h2>
    <p>URL signatures are for end-user devices.</p>
    ${list(rules)}
    <h3>Node</h3>
    ${pre(samples.node)}
    <h3>Python</h3>
    ${pre(samples.python)} ${refusedArguments()} ${inBrowsers()}
    <h2>Test vectors of URL signatures</h2>
    <p>Secret <code>${secret}</code>.</p>
    ${vectors}`;
}

function refusedArguments(): Html {
  return html`<h3>Rejected arguments</h3>
    <p>
      Apart from the signature's own arguments, only those that the reference shows for the operation are
      accepted.
    </p>
    ${list([
      'Any other argument causes 400 `invalid_parameter`, with `unknown_parameter` for each. If a misspelt filter were ignored, the response would contain more data than you asked for. Leave out trackers such as `utm_source` and cache busters: responses are never cached.',
      '`key`, `expires` or `signature` given more than once cause 403 `invalid_signature`, and so does a second `consumer` with another value. The platform does not guess which one you mean.',
      '`consumer` is the signed list and must not be changed: if a value is added or removed, the response is 403 `invalid_signature`. A list with an empty value, or with more than five values, causes 400.',
      '`consumer` without a signature is a filter like any other, and does not restrict the caller.',
    ])}`;
}

function inBrowsers(): Html {
  return html`<h3>In web pages</h3>
    <p>
      ${inline('Scripts of a page call the API with `fetch` and a signature. Ask the operator to add the origin of the page, such as `https://shop.example`, to the retailer’s setting `cors.origins`; by default there is none.')}
    </p>
    ${list([
      'Pages may call all read operations and `POST /receipts/_send`. Other operations belong on your server.',
      'Sign with a client that holds only the permissions that the page needs, and always include the `consumer` who is signed in.',
      'Cookies are never allowed: leave `credentials` at its default. `Authorization` is not allowed either, because bearer tokens are for servers.',
      'Preflight requests are authorised by the `key` in the URL. A wrong origin causes 403 `origin_not_allowed`, which the network panel of the browser shows.',
      'Scripts can read `request-id`, `location`, `retry-after`, `link`, `ratelimit` and the other headers of the reference. Errors can also be read.',
    ])}`;
}

function bearerSection(): Html {
  const { header, payload, token } = signingVectors.bearer;
  return html`<h2>Bearer tokens</h2>
    <p>
      ${inline('A JSON Web Token, HS256 only, signed with the decoded secret; `kid` is the access key. `exp` is checked if it is present, with 30 seconds of leeway, and `iat` must be at most 60 seconds in the future.')}
    </p>
    <p>With the secret above:</p>
    ${pre(`${header}\n${payload}`)} ${pre(token)}`;
}

function webhookSection(): Html {
  const { id, timestamp, body, signature } = signingVectors.webhook;
  return html`<h2>Webhooks</h2>
    <p>
      ${inline('Standard Webhooks 1.0. `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `webhook-id`, a dot, `webhook-timestamp`, a dot and the unchanged body; while a secret is being rotated, there are several signatures, separated by spaces. The key is the decoded part of the secret after `whsec_`. Reject messages older than five minutes, and verify before you parse.')}
    </p>
    <p>With the secret <code>whsec_${secret}</code>:</p>
    ${pre(`webhook-id: ${id}\nwebhook-timestamp: ${timestamp}\nwebhook-signature: ${signature}\n\n${body}`)}`;
}

/** `/docs/signing`: how requests are signed and webhooks verified, with test vectors. */
export function signingGuide(frame: Frame): Page {
  const content = html`<h1>Signing</h1>
    ${urlSection()} ${bearerSection()} ${webhookSection()}`;
  return { path: '/docs/signing', ...frame('Signing', content, '/docs/signing') };
}
