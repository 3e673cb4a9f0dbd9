import type { adminContracts, Client, ClientCall } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { postForm, selectField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { badge, table } from '../../pages/table';
import type { SignedIn } from '../signed-in';
import { permissionList } from '../permission-list';

export const integrationPath = '/portal/integration';

type Tokens = ReceivedReply<typeof adminContracts.listTokens>['body']['tokens'];

/** The secrets, which are shown only once. */
export interface Secrets {
  readonly secret?: string | null;
  readonly token?: string | null;
}

export interface ClientView {
  readonly client: Client;
  readonly authentication: string;
  /** Undefined for clients that sign URLs. */
  readonly tokens: Tokens | undefined;
  readonly calls: readonly ClientCall[];
  readonly secrets: Secrets;
  /** The URL of the API. */
  readonly url: string;
}

export const clientPath = (authentication: string, id: number) =>
  `${integrationPath}/${authentication}/${id}`;

export const stateOf = ({ revoked }: Pick<Client, 'revoked'>, { t }: Language): Html =>
  revoked ? badge('bad', t('client.revoked')) : badge('good', t('client.active'));

function secretsCard({ secret, token }: Secrets, { t }: Language): Html | undefined {
  const shown = [
    [t('client.token'), token],
    [t('client.secret'), secret],
  ].filter(([, value]) => value);
  if (shown.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="secrets">
    <h2 id="secrets">${t('client.copy')}</h2>
    <p>${t('client.copyText')}</p>
    ${shown.map(
      ([name, value]) =>
        html`<h3>${name}</h3>
          <pre tabindex="0">${value}</pre>`,
    )}
  </section>`;
}

/** Sample calls that work once the placeholders are replaced by the secrets. */
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

function linesCard(view: ClientView, { base, language: { t } }: SignedIn): Html {
  return html`<section class="card" aria-labelledby="lines">
    <h2 id="lines">${t('client.use')}</h2>
    ${linesOf(view).map(
      ([name, line]) =>
        html`<h3>${name}</h3>
          <pre tabindex="0">${line}</pre>`,
    )}
    <p><a href="${base}/docs">${t('client.endpoints')}</a></p>
  </section>`;
}

function permissionsCard({ client: { permissions } }: ClientView, language: Language): Html {
  const { t } = language;
  return html`<section class="card" aria-labelledby="permissions">
    <h2 id="permissions">${t('clients.permissions')}</h2>
    ${
      permissions.length === 0
        ? html`<p class="empty">${t('client.noPermissions')}</p>`
        : permissionList(permissions, language)
    }
  </section>`;
}

function tokensCard({ tokens = [] }: ClientView, { language, retailer }: SignedIn): Html {
  const { t, time } = language;
  const at = (instant: string | null) =>
    instant === null ? t('never') : time(instant, retailer.settings.timezone);
  const columns = [t('client.token'), t('client.issued'), t('client.expires'), t('client.lastUsed')];
  const rows = tokens.map(({ jti, issued, expires, revoked, last_used: used }) => [
    html`<code>${jti}</code>${revoked && html` ${badge('bad', t('client.revoked'))}`}`,
    at(issued),
    at(expires),
    at(used),
  ]);
  return html`<section class="card" aria-labelledby="tokens">
    <h2 id="tokens">${t('client.tokens')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('client.noTokens')}</p>` : table('tokens', columns, rows)}
  </section>`;
}

function callsCard({ calls }: ClientView, { language, retailer }: SignedIn): Html {
  const { t, time } = language;
  const columns = [t('client.call'), t('time'), t('status'), t('client.requestId')];
  const rows = calls.map(({ at, method, route, status, request_id }) => [
    html`<code>${method} ${route}</code>`,
    time(new Date(at), retailer.settings.timezone, 'medium'),
    badge(status < 400 ? 'good' : status < 500 ? 'warn' : 'bad', String(status)),
    html`<code>${request_id}</code>`,
  ]);
  return html`<section class="card" aria-labelledby="calls">
    <h2 id="calls">${t('client.calls')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('client.noCalls')}</p>` : table('calls', columns, rows)}
  </section>`;
}

const lifetimes = [
  { value: '1', label: 'client.aDay' },
  { value: '30', label: 'client.30days' },
  { value: '365', label: 'client.aYear' },
  { value: '', label: 'client.forever' },
] as const;

function actionsCard({ client, tokens, authentication }: ClientView, who: SignedIn): Html {
  const { t } = who.language;
  const options = lifetimes.map(({ value, label }) => ({ value, label: t(label) }));
  const form = (inside: Html) =>
    postForm(`${who.base}${clientPath(authentication, client.id)}`, who.session.csrf, inside);
  return html`<section class="card" aria-labelledby="actions">
    <h2 id="actions">${t('actions')}</h2>
    ${
      tokens !== undefined &&
      !client.revoked &&
      form(
        html`${selectField({ name: 'days', label: t('client.validFor'), value: '30', options })}
          <div class="actions">
            <button name="action" value="issue">${t('client.newToken')}</button>
            <button class="quiet" name="action" value="replace">${t('client.replaceTokens')}</button>
          </div>`,
      )
    }
    ${
      !client.revoked &&
      who.may('view.post_client') &&
      html`<details>
        <summary>${t('client.newSecret')}</summary>
        <p>${t('client.newSecretText')}</p>
        ${form(html`<button name="action" value="succeed">${t('client.newSecretButton')}</button>`)}
      </details>`
    }
    ${
      client.revoked
        ? form(html`<button class="quiet" name="action" value="restore">${t('client.restore')}</button>`)
        : html`<details>
            <summary>${t('client.revoke')}</summary>
            <p>${t('client.revokeText')}</p>
            ${form(html`<button class="danger" name="action" value="revoke">${t('client.revokeButton')}</button>`)}
          </details>`
    }
  </section>`;
}

/** A client, with its permissions and its last calls. */
export function clientView(view: ClientView, who: SignedIn, notes: Html): Html {
  const { client } = view;
  const { language } = who;
  return html`<p class="crumb"><a href="${who.base}${integrationPath}">${language.t('clients.all')}</a></p>
    <h1>${client.description}</h1>
    ${notes}
    <p>${stateOf(client, language)} <code>${client.key}</code></p>
    ${secretsCard(view.secrets, language)}
    <div class="bench">${linesCard(view, who)} ${who.may('view.patch_client') && actionsCard(view, who)}</div>
    ${callsCard(view, who)} ${view.tokens !== undefined && tokensCard(view, who)}
    ${permissionsCard(view, language)}`;
}
