import { permissionNames } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import { choice } from '../pages/form-fields';
import { languages, type Language, type MessageKey } from '../pages/language';

/** Every permission has a separate text. */
const isExplained = (permission: string): permission is MessageKey & `view.${string}` =>
  Object.hasOwn(languages.en.messages, permission);

/** The permissions in their usual order. */
export const explainedPermissions = permissionNames.filter(isExplained);

/** What the permissions allow. */
export function permissionList(permissions: readonly string[], { t }: Language): Html {
  return html`<dl>
    ${explainedPermissions
      .filter((permission) => permissions.includes(permission))
      .map(
        (permission) =>
          html`<dt><code>${permission}</code></dt>
            <dd>${t(permission)}</dd>`,
      )}
  </dl>`;
}

/** Check boxes for the permissions. @param held those that are ticked */
export function permissionChoices(
  offered: readonly (typeof explainedPermissions)[number][],
  { t }: Language,
  held: readonly string[] = [],
): Html {
  return html`<fieldset>
    <legend>${t('clients.permissions')}</legend>
    ${offered.map((permission) =>
      choice({
        name: 'permissions',
        value: permission,
        label: t(permission),
        note: html`<code>${permission}</code>`,
        isChosen: held.includes(permission),
      }),
    )}
  </fieldset>`;
}
