import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { field, postForm } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { redirectTo } from '../../pages/reply';
import type { DoneTexts } from '../done-text';
import { portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { refusedPage } from '../page';
import type { SignedIn } from '../signed-in';
import { savedSearchesMax } from '../storage/saved-searches';
import { listParameters, receiptsPath, type ListQuery } from './receipts-path';

export const searchesDone: DoneTexts = {
  'search-saved': 'search.saved',
  'search-deleted': 'search.deleted',
  deleted: 'receipt.wasDeleted',
};

const path = '/portal/searches';
const ownerOf = ({ user, retailer }: SignedIn) => ({ retailer: retailer.id, user: user.email });

/** The user's saved searches as links; nothing without any. */
export async function savedSearches(
  { searches }: Pick<Portal, 'searches'>,
  who: SignedIn,
): Promise<Html | undefined> {
  const saved = await searches.list(ownerOf(who), deadlineSignal(who.call));
  if (saved.length === 0) return undefined;
  const { t } = who.language;
  return html`<nav class="saved" aria-label="${t('searches')}">
    <ul>
      ${saved.map(
        ({ name, parameters }) =>
          html`<li>
            <a href="${who.base}${receiptsPath}?${parameters}">${name}</a>
            ${postForm(
              `${who.base}${path}`,
              who.session.csrf,
              html`<input type="hidden" name="name" value="${name}" />
                <button
                  class="link"
                  name="action"
                  value="delete"
                  aria-label="${t('search.delete', { name })}"
                >
                  ×
                </button>`,
            )}
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Saves the search that is shown; nothing for the list of all receipts. */
export function saveForm(query: ListQuery, { base, session, language: { t } }: SignedIn): Html | undefined {
  const address = listParameters(query);
  if (address === '') return undefined;
  const inside = html`<input type="hidden" name="address" value="${address}" />
    <div class="filter">
      ${field({ name: 'name', label: t('search.name'), required: true })}
      <button class="quiet" name="action" value="save">${t('search.save')}</button>
    </div>`;
  return html`<details>
    <summary>${t('search.save')}</summary>
    ${postForm(`${base}${path}`, session.csrf, inside)}
  </details>`;
}

/** Only the criteria of a list, whatever the form contains. */
const parametersOf = (address: string) => listParameters(Object.fromEntries(new URLSearchParams(address)));

export const portalSearches = (deps: Portal): HandlerOf<'portalSearches'> => {
  const { searches, now } = deps;
  return (input, call) => {
    const { action, address = '' } = input.body;
    const name = input.body.name.trim();
    return portalForm(deps, input, call, {
      permission: 'view.search_receipt',
      act: async (who) => {
        const signal = deadlineSignal(call);
        const owner = ownerOf(who);
        if (action === 'delete') {
          await searches.remove({ ...owner, name }, signal);
          return redirectTo(`${receiptsPath}?done=search-deleted`);
        }
        const { t, number } = who.language;
        if (name === '') throw new ServiceError({ status: 422, description: t('search.noName') });
        const saved = await searches.list(owner, signal);
        if (saved.length >= savedSearchesMax && !saved.some((one) => one.name === name)) {
          const description = t('search.tooMany', { count: number(savedSearchesMax) });
          throw new ServiceError({ status: 422, description });
        }
        const parameters = parametersOf(address);
        await searches.save({ ...owner, name, parameters }, now(), signal);
        return redirectTo(`${receiptsPath}?${parameters}&done=search-saved`);
      },
      refused: async (who, fault) => {
        const title = who.language.t('searches');
        return pageFor(
          who,
          { title, main: refusedPage(title, fault, who), menuPath: receiptsPath },
          fault.status,
        );
      },
    });
  };
};
