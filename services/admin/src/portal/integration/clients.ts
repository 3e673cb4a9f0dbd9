import { adminContracts, authentications, everyPermission } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import { field, postForm, problem, selectField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { olderLink } from '../../pages/older-link';
import { table } from '../../pages/table';
import { faultText } from '../fault-text';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { clientPage, issue } from './client';
import { clientPath, integrationPath, stateOf } from './client-view';
import { explainedPermissions, permissionChoices } from '../permission-list';

const firstTokenDays = '30';
const pageCount = 100;

const headOf = ({ t }: Language) =>
  html`<h1 id="clients">${t('menu.integration')}</h1>
    <p class="lead">${t('clients.lead')}</p>`;

async function listOf({ records }: Portal, who: SignedIn, older?: number): Promise<Html> {
  checkPermission(who, 'view.get_client');
  const { retailer, language, call } = who;
  const { t, number } = language;
  const signal = deadlineSignal(call);
  const found = await Promise.all(
    authentications.map((authentication) =>
      records.listClients(retailer.id, authentication, { older, count: pageCount + 1 }, signal),
    ),
  );
  const all = found.flat().sort((one, other) => other.id - one.id);
  const listed = all.slice(0, pageCount);
  if (listed.length === 0) {
    return html`<section class="card"><p class="empty">${t('clients.none')}</p></section>`;
  }
  const columns = [t('clients.client'), t('clients.signsInWith'), t('clients.permissions'), t('state')];
  const rows = listed.map((client) => [
    html`<a href="${who.base}${clientPath(client.authentication, client.id)}">${client.description}</a>
      <small><code>${client.key}</code></small>`,
    t(`clients.${client.authentication}`),
    client.permissions.includes(everyPermission)
      ? t('clients.allPermissions')
      : number(client.permissions.length),
    stateOf(client, language),
  ]);
  const last = all.length > pageCount ? listed.at(-1) : undefined;
  return html`<section class="card">
    ${table('clients', columns, rows)}
    ${olderLink(last && `${who.base}${integrationPath}?older=${last.id}`, language)}
  </section>`;
}

/** Offers only permissions that the user holds, because nobody can grant more. */
function createForm(who: SignedIn, isOpen: boolean): Html | false {
  if (!who.may('view.post_client')) return false;
  const { t } = who.language;
  const options = authentications.map((value) => ({ value, label: t(`clients.${value}`) }));
  const offered = explainedPermissions.filter(who.may);
  return html`<details class="card" ${isOpen && html`open`}>
    <summary>${t('clients.new')}</summary>
    ${postForm(
      `${who.base}${integrationPath}`,
      who.session.csrf,
      html`${field({ name: 'description', label: t('clients.name'), required: true, hint: t('clients.nameHint') })}
        ${selectField({ name: 'authentication', label: t('clients.signsInWith'), value: 'bearer', options })}
        ${permissionChoices(offered, who.language)} <button>${t('clients.create')}</button>`,
    )}
  </details>`;
}

/** @param isOpen whether the form for a new client is unfolded */
async function mainOf(deps: Portal, who: SignedIn, isOpen: boolean, older?: number): Promise<Html> {
  return html`${createForm(who, isOpen)} ${await listOf(deps, who, older)}`;
}

/** The API clients of the retailer. */
export const portalIntegration = (deps: Portal): HandlerOf<'portalIntegration'> =>
  portalPage(deps, {
    title: 'menu.integration',
    menuPath: integrationPath,
    head: (_, { language }) => headOf(language),
    result: ({ query }, who) => mainOf(deps, who, false, query.older),
  });

export function portalCreateClient(deps: Portal): HandlerOf<'portalCreateClient'> {
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
        // Issues a token for immediate use. Clients with the secret can also sign their own tokens.
        const mayIssue = authentication === 'bearer' && who.may('view.patch_client');
        const token = mayIssue ? await issue(deps, who, client_id, firstTokenDays) : null;
        const secrets = { secret: created.secret, token };
        return clientPage(deps, who, { authentication, client_id }, { secrets });
      },
      refused: async (who, fault) => {
        const notes = problem(faultText(fault, who.language));
        const main = html`${headOf(who.language)} ${notes} ${await mainOf(deps, who, true)}`;
        const title = who.language.t('menu.integration');
        return pageFor(who, { title, main, menuPath: integrationPath }, fault.status);
      },
    });
  };
}
