import { adminContracts, type Authentication } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import { problem, success } from '../../pages/form-fields';
import { html } from '@receipts/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { doneText, type DoneTexts } from '../done-text';
import { faultText } from '../fault-text';
import { portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { clientPath, clientView, integrationPath, type Secrets } from './client-view';

const daySeconds = 86_400;
const shownTokens = 20;

const doneTexts: DoneTexts = {
  revoked: 'client.wasRevoked',
  restored: 'client.restored',
};

interface Named {
  readonly authentication: Authentication;
  readonly client_id: string;
}

interface Notes {
  readonly done?: string | undefined;
  readonly fault?: string;
  readonly status?: number;
  readonly secrets?: Secrets;
  /** The key of the client that this one replaces. */
  readonly replaces?: string;
}

async function tokensOf({ ask }: Portal, who: SignedIn, { authentication, client_id }: Named) {
  if (authentication !== 'bearer') return undefined;
  const input = { params: { client_id }, query: { count: shownTokens } };
  return (await ask(adminContracts.listTokens, input, who.call)).body.tokens;
}

/** The page of a client. */
export async function clientPage(
  deps: Portal,
  who: SignedIn,
  named: Named,
  { done, fault, status = 200, secrets = {}, replaces }: Notes,
): Promise<PageReply> {
  const { ask, records, publicUrl } = deps;
  const { authentication, client_id: id } = named;
  const [{ body: client }, tokens, calls] = await Promise.all([
    ask(adminContracts.getClient, { params: named }, who.call),
    tokensOf(deps, who, named),
    records.callsOf(who.call.retailer, `${authentication}:${id}`, deadlineSignal(who.call)),
  ]);
  const view = { client, authentication, tokens, calls, secrets, url: publicUrl };
  const { t } = who.language;
  const said =
    replaces === undefined
      ? doneText(doneTexts, done, who.language)
      : t('client.replaces', { key: replaces });
  const notes = html`${problem(fault)} ${success(said)}`;
  const main = clientView(view, who, notes);
  const path = clientPath(authentication, client.id);
  return pageFor(who, { title: client.description, main, menuPath: integrationPath, path }, status);
}

export const portalClient = (deps: Portal): HandlerOf<'portalClient'> =>
  permittedPage(deps, 'view.get_client', async (who, { params, query }) =>
    clientPage(deps, who, params, { done: query.done }),
  );

/** A new token. The other tokens are revoked first, because a revocation applies to all tokens issued before it. */
export async function issue(
  { ask }: Portal,
  who: SignedIn,
  clientId: string,
  days: string,
): Promise<string | null> {
  const params = { client_id: clientId };
  const body = { ...(/^\d{1,3}$/.test(days) && { expires_in: Number(days) * daySeconds }) };
  return (await ask(adminContracts.issueToken, { params, body }, who.granting)).body.token;
}

/** A second client with the same permissions and settings, but with a secret of its own. */
async function succeed(deps: Portal, who: SignedIn, named: Named): Promise<PageReply> {
  checkPermission(who, 'view.post_client');
  const { ask } = deps;
  const { authentication } = named;
  const { body: client } = await ask(adminContracts.getClient, { params: named }, who.call);
  const { description, permissions, settings, signature_max_age: maxAge } = client;
  const body = {
    description,
    permissions,
    settings,
    ...(maxAge !== undefined && { signature_max_age: maxAge }),
  };
  const { id, secret } = (
    await ask(adminContracts.createClient, { params: { authentication }, body }, who.granting)
  ).body;
  const successor = { authentication, client_id: String(id) };
  return clientPage(deps, who, successor, { secrets: { secret }, replaces: client.key });
}

export function portalClientForm(deps: Portal): HandlerOf<'portalClientForm'> {
  return (input, call) => {
    const { params: named, body } = input;
    const { ask } = deps;
    const id = Number(named.client_id);
    const change = async (who: SignedIn, revoked: boolean) => {
      await ask(adminContracts.patchClient, { params: named, body: { revoked } }, who.granting);
      return redirectTo(`${clientPath(named.authentication, id)}?done=${revoked ? 'revoked' : 'restored'}`);
    };
    return portalForm(deps, input, call, {
      permission: 'view.patch_client',
      refused: (who, fault) =>
        clientPage(deps, who, named, { fault: faultText(fault, who.language), status: fault.status }),
      act: async (who) => {
        checkPermission(who, 'view.get_client');
        if (body.action === 'revoke' || body.action === 'restore') {
          return change(who, body.action === 'revoke');
        }
        if (body.action === 'succeed') return succeed(deps, who, named);
        if (body.action === 'replace') {
          const all = { params: { client_id: named.client_id }, body: { all: true as const } };
          await ask(adminContracts.revokeTokens, all, who.granting);
        }
        const token = await issue(deps, who, named.client_id, body.days ?? '');
        return clientPage(deps, who, named, { secrets: { token } });
      },
    });
  };
}
