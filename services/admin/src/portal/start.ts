import { adminContracts, transformContracts, webhookContracts } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import { html, type Html } from '@receipts/html';
import type { MessageKey } from '../pages/language';
import { orUndefined } from '../pages/refusal';
import { badge } from '../pages/table';
import type { HandlerOf, Portal } from './open-portal';
import { portalPage } from './page';
import type { SignedIn } from './signed-in';

export const startPath = '/portal/start';

interface Step {
  readonly permission: string;
  readonly path: string;
  readonly label: MessageKey;
  readonly why: MessageKey;
  /** True for steps that not every retailer needs. */
  readonly isOptional?: boolean;
  /** Absent for an ongoing step, which is never done. */
  readonly isDone?: (deps: Portal, who: SignedIn) => Promise<boolean>;
}

async function hasClient({ ask }: Portal, { call }: SignedIn): Promise<boolean> {
  const input = { params: { authentication: 'bearer' }, query: { count: 1 } } as const;
  return (await ask(adminContracts.listClients, input, call)).body.clients.length > 0;
}

async function hasColleagues({ records }: Portal, { retailer, call }: SignedIn): Promise<boolean> {
  return (
    (await records.listUsers(retailer.id, { older: undefined, count: 2 }, deadlineSignal(call))).length > 1
  );
}

async function hasMapping({ ask }: Portal, { call }: SignedIn): Promise<boolean> {
  return (await ask(transformContracts.listMappings, { query: { count: 1 } }, call)).body.mappings.length > 0;
}

async function hasWebhook({ ask }: Portal, { call }: SignedIn): Promise<boolean> {
  const { body } = await ask(webhookContracts.listWebhookEndpoints, { query: { count: 1 } }, call);
  return body.endpoints.length > 0;
}

async function hasBrand(_deps: Portal, { retailer }: SignedIn): Promise<boolean> {
  const { name, logo, colour } = retailer.settings.brand;
  return [name, logo, colour].some((value) => value !== null);
}

/** The first steps of a retailer's staff. */
const steps: readonly Step[] = [
  {
    permission: 'view.manage_brand',
    path: '/portal/brand',
    isDone: hasBrand,
    label: 'start.brand',
    why: 'start.brandWhy',
  },
  {
    permission: 'view.put_portal_user',
    path: '/portal/users',
    isDone: hasColleagues,
    label: 'start.users',
    why: 'start.usersWhy',
  },
  {
    permission: 'view.post_client',
    path: '/portal/integration',
    isDone: hasClient,
    label: 'first.client',
    why: 'first.clientWhy',
  },
  {
    permission: 'view.manage_mapping',
    path: '/portal/mappings',
    isDone: hasMapping,
    isOptional: true,
    label: 'first.mapping',
    why: 'first.mappingWhy',
  },
  {
    permission: 'view.manage_webhook',
    path: '/portal/webhooks',
    isDone: hasWebhook,
    isOptional: true,
    label: 'first.webhook',
    why: 'first.webhookWhy',
  },
  { permission: 'view.search_receipt', path: '/portal/', label: 'start.find', why: 'start.findWhy' },
];

/** Undefined if the step is ongoing, or if it is unknown whether it is done. */
const stateOf = ({ isDone }: Step, deps: Portal, who: SignedIn) => orUndefined(isDone?.(deps, who));

function stateBadge({ isOptional }: Step, isDone: boolean | undefined, { language }: SignedIn) {
  const { t } = language;
  if (isDone === undefined) return undefined;
  if (isDone) return badge('good', t('start.done'));
  return isOptional ? badge('plain', t('start.optional')) : badge('warn', t('start.open'));
}

/** The steps that the user may do, each with its state. */
export async function firstSteps(deps: Portal, who: SignedIn): Promise<Html> {
  const { t } = who.language;
  const allowed = steps.filter(({ permission }) => who.may(permission));
  const items = await Promise.all(
    allowed.map(async (step) => {
      const state = stateBadge(step, await stateOf(step, deps, who), who);
      return html`<li>
        <a href="${who.base}${step.path}">${t(step.label)}</a> ${state}
        <p>${t(step.why)}</p>
      </li>`;
    }),
  );
  return html`<ol class="steps">
    ${items}
  </ol>`;
}

/** The page that users see when they sign in for the first time. */
export const portalStart = (deps: Portal): HandlerOf<'portalStart'> =>
  portalPage(deps, {
    title: 'menu.start',
    menuPath: startPath,
    head: (_, { retailer, language: { t } }) =>
      html`<h1 id="start">${t('start.welcome', { retailer: retailer.name })}</h1>
        <p class="lead">${t('start.lead')}</p>`,
    result: async (_, who) =>
      html`<section class="card" aria-labelledby="start">${await firstSteps(deps, who)}</section>`,
  });
