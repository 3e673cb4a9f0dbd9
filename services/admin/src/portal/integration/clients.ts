import { adminContracts, authentications, type Client } from '@receipts/contracts';
import type { ServiceError } from '@receipts/kernel';
import { field, problem, selectField } from '../../pages/form-fields';
import { html, type Html } from '../../pages/html';
import { pageReply } from '../../pages/reply';
import { table } from '../../pages/table';
import { checked, portalForm, sentenceOf } from '../form';
import { layout } from '../layout';
import type { Endpoint, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { clientPage, issue } from './client';
import { clientPath, integrationPath, stateOf } from './client-view';
import { permissionTexts } from './permission-texts';

const title = 'Integration';
const firstTokenDays = '30';

const head = html`<h1 id="clients">${title}</h1>
  <p class="lead">
    A client is what one of your systems signs in with. Give each system its own client, with no more
    permissions than it needs.
  </p>`;

const kinds = { bearer: 'Token, for servers and tills', hmac: 'Signed URLs, for apps of consumers' } as const;

async function listOf({ ask, base }: Portal, who: SignedIn): Promise<Html> {
  checkPermission(who, 'view.get_client');
  const listed = await Promise.all(
    authentications.map(async (authentication) => {
      const input = { params: { authentication }, query: { count: 100 } };
      const { clients } = (await ask(adminContracts.listClients, input, who.call)).body;
      return clients.map((client) => ({ client, authentication }));
    }),
  );
  const columns = ['Client', 'Signs in with', 'Permissions', 'State'].map((one) => ({ head: one }));
  const rowOf = (authentication: (typeof authentications)[number], client: Client) => [
    html`<a href="${base}${clientPath(authentication, client.id)}">${client.description}</a>
      <small><code>${client.key}</code></small>`,
    kinds[authentication],
    client.permissions.includes('view.*') ? 'all' : String(client.permissions.length),
    stateOf(client),
  ];
  const rows = listed.flat().map(({ client, authentication }) => rowOf(authentication, client));
  return html`<section class="card">
    ${rows.length === 0 ? html`<p class="empty">There are no clients yet.</p>` : table('clients', columns, rows)}
  </section>`;
}

/** Offers only what the user holds: nobody grants more. */
function createForm(who: SignedIn, base: string): Html | false {
  if (!who.may('view.post_client')) return false;
  const options = authentications.map((value) => ({ value, label: kinds[value] }));
  const offered = permissionTexts.filter(({ permission }) => who.may(permission));
  return html`<form class="card" method="post" action="${base}${integrationPath}" aria-labelledby="new">
    <h2 id="new">New client</h2>
    <input type="hidden" name="csrf" value="${who.session.csrf}" />
    ${field({ name: 'description', label: 'Name', required: true, hint: 'Such as “Tills of store 1”.' })}
    ${selectField({ name: 'authentication', label: 'Signs in with', value: 'bearer', options })}
    <fieldset>
      <legend>Permissions</legend>
      ${offered.map(
        ({ permission, text }) =>
          html`<label class="choice">
            <input type="checkbox" name="permissions" value="${permission}" />
            <span><code>${permission}</code><small>${text}</small></span>
          </label>`,
      )}
    </fieldset>
    <button>Create</button>
  </form>`;
}

async function mainOf(deps: Portal, who: SignedIn, fault?: ServiceError): Promise<Html> {
  const list = await listOf(deps, who);
  return html`${problem(fault && sentenceOf(fault))} ${list} ${createForm(who, deps.base)}`;
}

/** The API clients of the retailer. */
export const portalIntegration = (deps: Portal): Endpoint<'portalIntegration'> =>
  portalPage(deps, {
    ...{ title, place: integrationPath },
    form: () => head,
    result: (_, who) => mainOf(deps, who),
  });

export function portalCreateClient(deps: Portal): Endpoint<'portalCreateClient'> {
  return (input, call) => {
    const { authentication, description, permissions = [] } = input.body;
    return portalForm(deps, input, call, {
      permission: 'view.post_client',
      act: async (who) => {
        checkPermission(who, 'view.get_client');
        const contract = adminContracts.createClient;
        const body = checked(contract.body.variants['application/json'], {
          description: description.trim(),
          permissions: [permissions].flat(),
        });
        const created = (await deps.ask(contract, { params: { authentication }, body }, who.granting)).body;
        const client_id = String(created.id);
        // A token that everybody can try at once; holders of the secret make their own.
        const mayIssue = authentication === 'bearer' && who.may('view.patch_client');
        const token = mayIssue ? await issue(deps, who, client_id, firstTokenDays) : null;
        const secrets = { secret: created.secret, token };
        return clientPage(deps, who, { authentication, client_id }, { secrets });
      },
      refused: async (who, fault) => {
        const main = html`${head} ${await mainOf(deps, who, fault)}`;
        const page = layout({ title, main, user: who, place: integrationPath, base: deps.base });
        return pageReply(page, fault.status);
      },
    });
  };
}
