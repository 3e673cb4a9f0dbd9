import type { adminPages, ReturnedReceipt } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { postForm } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { SignedIn } from '../signed-in';

export type Action = Input<(typeof adminPages)['portalReceiptAction']>['body']['action'];

export const actionPermissions = {
  void: 'view.void_receipt',
  erase: 'view.erase_identifier',
  delete: 'view.delete_receipt',
  note: 'view.patch_receipt',
} as const satisfies Record<Action, string>;

/** The buttons for what may be done with a receipt in this state; nothing that would be rejected. */
export function actionsView(
  receipt: ReturnedReceipt,
  { canReturn }: { readonly canReturn: boolean },
  who: SignedIn,
): Html | undefined {
  const { t } = who.language;
  const path = `${who.base}/portal/receipts/${receipt.id}`;
  const button = (action: Exclude<Action, 'note'>) =>
    html`<button class="quiet danger" name="action" value="${action}">${t(`do.${action}`)}</button>`;
  const isOffered = {
    void: receipt.voided === null,
    erase: receipt.identifier !== null,
    delete: true,
  } as const;
  const offered = (['void', 'erase', 'delete'] as const).filter(
    (action) => isOffered[action] && who.may(actionPermissions[action]),
  );
  const returns = canReturn && who.may('view.post_receipt');
  if (offered.length === 0 && !returns) return undefined;
  return html`<section class="card" aria-labelledby="actions">
    <h2 id="actions">${t('actions')}</h2>
    <div class="actions">
      ${returns && html`<a class="button quiet" href="${path}/return">${t('return.items')}</a>`}
      ${
        offered.length > 0 &&
        postForm(`${path}/actions`, who.session.csrf, html`${offered.map(button)}`, { className: 'actions' })
      }
    </div>
  </section>`;
}
