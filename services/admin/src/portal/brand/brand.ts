import {
  adminContracts,
  deliveryContracts,
  receiptStoreContracts,
  type PostedReceipt,
} from '@receipts/contracts';
import type { ServiceError } from '@receipts/kernel';
import { redirectTo, type PageReply } from '../../pages/reply';
import { faultText } from '../fault-text';
import { portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import type { SignedIn } from '../signed-in';
import { brandPatch, changesOf, draftOf, readBrandForm, type Brand, type BrandDraft } from './brand-draft';
import { brandPath, brandView } from './brand-view';
import { keepLogo } from './keep-logo';

const permission = 'view.manage_brand';

/** The receipt in the previews. */
const sample: PostedReceipt = {
  transaction_id: '4711',
  localtime: '2026-03-14T12:30:00',
  store_reference: '1',
  total: 28.6,
  net: 23.83,
  items: [
    { name: 'Linen shirt', quantity: 1, total: 24.9 },
    { name: 'Café crème', quantity: 2, unit_price: 2.85, total: 5.7 },
  ],
  discounts: [{ name: 'Spring sale', amount: -2 }],
  taxes: [{ name: 'vat', rate: 20, amount: 4.77 }],
  payments: [{ method: 'card', amount: 28.6 }],
};

async function render({ ask }: Portal, { call }: SignedIn, brand: Brand) {
  const { receipt } = (await ask(receiptStoreContracts.previewReceipt, { body: { receipt: sample } }, call))
    .body;
  return (await ask(deliveryContracts.renderReceipt, { body: { receipt, brand } }, call)).body;
}

interface BrandState {
  readonly draft?: BrandDraft;
  readonly done?: string | undefined;
  readonly fault?: ServiceError;
}

/** Renders the draft, or the saved brand if the draft is invalid. */
async function brandPage(
  deps: Portal,
  who: SignedIn,
  { draft, done, fault }: BrandState,
): Promise<PageReply> {
  const saved = who.retailer.settings.brand;
  const brand = draft && !fault ? changesOf(draft, saved) : saved;
  const main = brandView(
    {
      draft: draft ?? draftOf(saved),
      done,
      rendering: await render(deps, who, brand),
      fault: fault && faultText(fault, who.language),
    },
    who,
  );
  const title = who.language.t('menu.brand');
  const script = '/portal/live-form.js';
  const content = { hasScript: true, hasPreviews: true };
  return pageFor(who, { title, main, menuPath: brandPath, script }, fault?.status, content);
}

export const portalBrand = (deps: Portal): HandlerOf<'portalBrand'> =>
  permittedPage(deps, permission, async (who, { query }) => brandPage(deps, who, { done: query.done }));

/** The draft with the address of its file, or without a logo. */
async function withLogo(
  deps: Portal,
  who: SignedIn,
  { action, draft, file }: Awaited<ReturnType<typeof readBrandForm>>,
): Promise<BrandDraft> {
  if (action === 'remove_logo') return { ...draft, logo: '' };
  return file ? { ...draft, logo: await keepLogo(deps, who, file) } : draft;
}

export function portalBrandForm(deps: Portal): HandlerOf<'portalBrandForm'> {
  return async ({ headers, body, contentType }, call) => {
    const sent = await readBrandForm(body, contentType);
    let { draft } = sent;
    return portalForm(deps, { headers, body: sent }, call, {
      permission,
      act: async (who) => {
        draft = await withLogo(deps, who, sent);
        if (sent.action === 'run') return brandPage(deps, who, { draft });
        const saved = who.retailer.settings.brand;
        const patch = {
          params: { id: who.retailer.id },
          headers: {},
          contentType: 'application/merge-patch+json',
          body: { settings: { brand: brandPatch(saved, changesOf(draft, saved)) } },
        };
        await deps.ask(adminContracts.patchRetailer, patch, who.call);
        return redirectTo(`${brandPath}?done=saved`);
      },
      refused: (who, fault) => brandPage(deps, who, { draft, fault }),
    });
  };
}
