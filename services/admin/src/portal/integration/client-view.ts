import type { Client, ClientCall } from '@receipts/contracts';
import { postForm, selectField } from '../../pages/form-fields';
import { timeText } from '../../pages/formats';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import type { SignedIn } from '../signed-in';
import { permissionTexts } from './permission-texts';

export const integrationPath = '/portal/integration';

export interface IssuedToken {
  readonly jti: string;
  readonly issued: string;
  readonly expires: string | null;
  readonly revoked: boolean;
  readonly last_used: string | null;
}

/** What is shown once. */
export interface Secrets {
  readonly secret?: string | null;
  readonly token?: string | null;
}

export interface ClientView {
  readonly client: Client;
  readonly authentication: string;
  /** Undefined for clients that sign URLs. */
  readonly tokens: readonly IssuedToken[] | undefined;
  readonly calls: readonly ClientCall[];
  readonly secrets: Secrets;
  /** The URL of the API. */
  readonly url: string;
}

export const clientPath = (authentication: string, id: number) =>
  `${integrationPath}/${authentication}/${id}`;

export const stateOf = ({ revoked }: Pick<Client, 'revoked'>): Html =>
  revoked ? badge('bad', 'revoked') : badge('good', 'active');

function secretsCard({ secret, token }: Secrets): Html | undefined {
  const shown = [
    ['Token', token],
    ['Secret', secret],
  ].filter(([, value]) => value);
  if (shown.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="secrets">
    <h2 id="secrets">Copy it now</h2>
    <p>It is not shown again. Whoever has it can do what the client may do.</p>
    ${shown.map(
      ([name, value]) =>
        html`<h3>${name}</h3>
          <pre tabindex="0">${value}</pre>`,
    )}
  </section>`;
}

/** Lines that work once the secrets are in place. */
function linesOf({
  authentication,
  client,
  secrets,
  url,
}: ClientView): readonly (readonly [string, string])[] {
  const secret = secrets.secret ?? 'YOUR_SECRET';
  const token = secrets.token ?? 'YOUR_TOKEN';
  if (authentication === 'bearer') {
    return [
      ['curl', `curl -i '${url}/receipts?pretty=true' -H 'Authorization: Bearer ${token}'`],
      [
        'Node.js, @receipts/client',
        `createReceiptsClient({ baseUrl: '${url}', credential: { kid: '${client.key}', secret: '${secret}' } })`,
      ],
    ];
  }
  return [
    [
      'Node.js, @receipts/client',
      `signUrl('${url}/receipts', { key: '${client.key}', secret: '${secret}' }, { consumer: 'jane@example.com' })`,
    ],
  ];
}

function linesCard(view: ClientView, base: string): Html {
  return html`<section class="card" aria-labelledby="lines">
    <h2 id="lines">Use it</h2>
    ${linesOf(view).map(
      ([name, line]) =>
        html`<h3>${name}</h3>
          <pre tabindex="0">${line}</pre>`,
    )}
    <p><a href="${base}/docs">All endpoints</a></p>
  </section>`;
}

function permissionsCard({ client: { permissions } }: ClientView): Html {
  const held = permissionTexts.filter(({ permission }) => permissions.includes(permission));
  return html`<section class="card" aria-labelledby="permissions">
    <h2 id="permissions">Permissions</h2>
    ${
      held.length === 0
        ? html`<p class="empty">None.</p>`
        : html`<dl>
            ${held.map(
              ({ permission, text }) =>
                html`<dt><code>${permission}</code></dt>
                  <dd>${text}</dd>`,
            )}
          </dl>`
    }
  </section>`;
}

function tokensCard({ tokens = [] }: ClientView): Html {
  const columns = ['Token', 'Issued', 'Expires', 'Last used'].map((head) => ({ head }));
  const rows = tokens.map(({ jti, issued, expires, revoked, last_used: used }) => [
    html`<code>${jti}</code>${revoked && html` ${badge('bad', 'revoked')}`}`,
    timeText(issued),
    expires === null ? 'never' : timeText(expires),
    used === null ? 'never' : timeText(used),
  ]);
  return html`<section class="card" aria-labelledby="tokens">
    <h2 id="tokens">Tokens</h2>
    ${rows.length === 0 ? html`<p class="empty">None was issued.</p>` : table('tokens', columns, rows)}
  </section>`;
}

function callsCard({ calls }: ClientView): Html {
  const columns = ['Call', 'Time', 'Status', 'Request id'].map((head) => ({ head }));
  const rows = calls.map(({ at, method, route, status, request_id }) => [
    html`<code>${method} ${route}</code>`,
    new Date(at).toISOString().slice(0, 19).replace('T', ' '),
    badge(status < 400 ? 'good' : status < 500 ? 'warn' : 'bad', String(status)),
    html`<code>${request_id}</code>`,
  ]);
  return html`<section class="card" aria-labelledby="calls">
    <h2 id="calls">Last calls</h2>
    ${
      rows.length === 0
        ? html`<p class="empty">No call has arrived with this client yet.</p>`
        : table('calls', columns, rows)
    }
  </section>`;
}

const lifetimes = [
  { value: '1', label: 'A day' },
  { value: '30', label: '30 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'Until it is revoked' },
];

function actionsCard({ client, tokens, authentication }: ClientView, who: SignedIn, base: string): Html {
  const form = (inside: Html) =>
    postForm(`${base}${clientPath(authentication, client.id)}`, who.session.csrf, inside);
  return html`<section class="card" aria-labelledby="actions">
    <h2 id="actions">Actions</h2>
    ${
      tokens !== undefined &&
      !client.revoked &&
      form(
        html`${selectField({ name: 'days', label: 'Valid for', value: '30', options: lifetimes })}
          <div class="actions">
            <button name="action" value="issue">New token</button>
            <button class="quiet" name="action" value="replace">New token, and revoke all others</button>
          </div>`,
      )
    }
    ${
      client.revoked
        ? form(html`<button class="quiet" name="action" value="restore">End the revocation</button>`)
        : html`<details>
            <summary>Revoke</summary>
            <p>From then on, all its tokens and signatures are rejected.</p>
            ${form(html`<button class="danger" name="action" value="revoke">Revoke the client</button>`)}
          </details>`
    }
  </section>`;
}

/** A client, what it may do, and what it did. */
export function clientView(view: ClientView, who: SignedIn, base: string, notes: Html): Html {
  const { client } = view;
  return html`<p class="crumb"><a href="${base}${integrationPath}">All clients</a></p>
    <h1>${client.description}</h1>
    ${notes}
    <p>${stateOf(client)} <code>${client.key}</code></p>
    ${secretsCard(view.secrets)}
    <div class="bench">
      ${linesCard(view, base)} ${who.may('view.patch_client') && actionsCard(view, who, base)}
    </div>
    ${callsCard(view)} ${view.tokens !== undefined && tokensCard(view)} ${permissionsCard(view)}`;
}
