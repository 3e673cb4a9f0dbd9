import { receiptStoreContracts, webhookContracts, type adminPages } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { parameterOf } from '../../pages/older-link';
import { refusalIn } from '../../pages/refusal';
import { redirectTo, type PageReply } from '../../pages/reply';
import { faultText } from '../fault-text';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import type { SignedIn } from '../signed-in';
import { webhooksPath } from './webhooks-path';
import { draftOf, newDraft, typesIn, webhookView, type Draft, type WebhookView } from './webhook-view';

type Body = Input<(typeof adminPages)['portalWebhookForm']>['body'];

const dayMs = 86_400_000;
const newId = 'new';
const deliveriesPerPage = 20;

const fieldsOf = ({ url, description, event_types, filter, payload, ordering, enabled }: Body): Draft => ({
  url: url ?? '',
  description: description ?? '',
  event_types: [event_types ?? ''].flat().join(' '),
  filter: filter ?? '',
  payload: payload ?? '',
  ordering: ordering ?? '',
  enabled: enabled ?? '',
});

/** The endpoint as the API expects it, not yet validated. */
const postedOf = (draft: Draft) => ({
  ...draft,
  url: draft.url.trim(),
  event_types: typesIn(draft),
  filter: draft.filter.trim() || null,
  enabled: draft.enabled === 'true',
});

/** States how many receipts from the last 24 hours the filter would have matched, or why the filter is invalid. */
async function matchesOf({ ask, now }: Portal, who: SignedIn, { filter }: Draft): Promise<string> {
  const since = new Date(now().getTime() - dayMs).toISOString();
  try {
    const query = { body: { query: filter, since } };
    const { hits, hits_relation: relation } = (
      await ask(receiptStoreContracts.countReceipts, query, who.call)
    ).body;
    const { t, plural, number } = who.language;
    return relation === 'at_least'
      ? t('webhook.matchesAtLeast', { count: number(hits) })
      : plural('webhook.matches', hits);
  } catch (error) {
    return who.language.api(refusalIn(error).description);
  }
}

/** The endpoint with its latest deliveries; nothing for a new endpoint. */
async function storedOf(
  { ask }: Portal,
  who: SignedIn,
  id: string,
  older?: string,
): Promise<Pick<WebhookView, 'stored' | 'deliveries' | 'bodies' | 'older'>> {
  if (id === newId) return {};
  const query = { count: deliveriesPerPage, ...(older && { older }) };
  const [{ body: stored }, { body: listed }] = await Promise.all([
    ask(webhookContracts.getWebhookEndpoint, { params: { id } }, who.call),
    ask(webhookContracts.listWebhookDeliveries, { params: { id }, query }, who.call),
  ]);
  const { deliveries, _links: links } = listed;
  const ids = deliveries.map((delivery) => delivery.id);
  const found = await ask(webhookContracts.findWebhookBodies, { body: { endpoint_id: id, ids } }, who.call);
  return { stored, deliveries, bodies: found.body.bodies, older: parameterOf(links.next, 'older') };
}

interface WebhookState extends Pick<WebhookView, 'done' | 'fault' | 'secret'> {
  readonly draft?: Draft;
  readonly older?: string | undefined;
  readonly status?: number;
}

async function webhookPage(deps: Portal, who: SignedIn, id: string, shown: WebhookState): Promise<PageReply> {
  const found = await storedOf(deps, who, id, shown.older);
  const draft = shown.draft ?? (found.stored ? draftOf(found.stored) : newDraft);
  const matches = await matchesOf(deps, who, draft);
  const page = {
    title: found.stored?.url ?? who.language.t('webhooks.new'),
    main: webhookView({ ...shown, ...found, draft, matches }, who),
    path: `${webhooksPath}/${id}`,
    menuPath: webhooksPath,
    script: ['/portal/live-form.js', '/portal/live-part.js'],
  } as const;
  return pageFor(who, page, shown.status);
}

export const portalWebhook = (deps: Portal): HandlerOf<'portalWebhook'> =>
  permittedPage(deps, 'view.manage_webhook', async (who, { params, query }) =>
    webhookPage(deps, who, params.id, { done: query.done, older: query.older }),
  );

async function save(deps: Portal, who: SignedIn, id: string, draft: Draft): Promise<PageReply> {
  const { ask } = deps;
  if (id === newId) {
    const contract = webhookContracts.createWebhookEndpoint;
    const body = checked(contract.body.variants['application/json'], postedOf(draft));
    const created = (await ask(contract, { body }, who.call)).body;
    const secret = created.secret ?? undefined;
    return webhookPage(deps, who, created.id, { done: 'saved', secret });
  }
  const contract = webhookContracts.patchWebhookEndpoint;
  const body = checked(contract.body.variants['application/json'], postedOf(draft));
  const input = { params: { id }, headers: {}, body, contentType: 'application/json' };
  await ask(contract, input, who.call);
  return redirectTo(`${webhooksPath}/${id}?done=saved`);
}

async function act(deps: Portal, who: SignedIn, id: string, body: Body): Promise<PageReply> {
  const { ask } = deps;
  const params = { id };
  const done = (text: string) => redirectTo(`${webhooksPath}/${encodeURIComponent(id)}?done=${text}`);
  switch (body.action) {
    case 'run':
      return webhookPage(deps, who, id, { draft: fieldsOf(body) });
    case 'save':
      return save(deps, who, id, fieldsOf(body));
    case 'test':
      await ask(webhookContracts.testWebhookEndpoint, { params }, who.call);
      return done('tested');
    case 'rotate': {
      const { secret } = (await ask(webhookContracts.rotateWebhookSecret, { params }, who.call)).body;
      return webhookPage(deps, who, id, { secret: secret ?? undefined });
    }
    case 'recover': {
      const contract = webhookContracts.recoverWebhookEndpoint;
      const since = `${body.since ?? ''}T00:00:00Z`;
      const checkedBody = checked(contract.body.variants['application/json'], { since });
      await ask(contract, { params, body: checkedBody }, who.call);
      return done('recovering');
    }
    case 'replay': {
      const delivery = { params: { id: body.delivery ?? '' } };
      await ask(webhookContracts.replayWebhookDelivery, delivery, who.call);
      return done('replayed');
    }
    case 'delete':
      await ask(webhookContracts.deleteWebhookEndpoint, { params }, who.call);
      return redirectTo(`${webhooksPath}?done=deleted`);
  }
}

export function portalWebhookForm(deps: Portal): HandlerOf<'portalWebhookForm'> {
  return (input, call) => {
    const { id } = input.params;
    const { body } = input;
    return portalForm(deps, input, call, {
      permission: 'view.manage_webhook',
      act: (who) => act(deps, who, id, body),
      refused: (who, fault) =>
        webhookPage(deps, who, id, {
          fault: faultText(fault, who.language),
          status: fault.status,
          ...(body.action === 'save' && { draft: fieldsOf(body) }),
        }),
    });
  };
}
