import { html, type Html } from '@receipts/html';
import { postForm } from './form-fields';
import type { Language } from './language';

export interface MenuEntry {
  /** The path relative to the base URL. */
  readonly path: string;
  readonly label: string;
}

export interface Sidebar {
  readonly language: Language;
  readonly brand: string;
  readonly home: string;
  readonly menu: readonly MenuEntry[];
  /** The path of the entry that the page belongs to. */
  readonly menuPath: string | undefined;
  readonly signOut: string;
  readonly csrf: string;
  readonly user: Html;
  /** Additional buttons of the sign-out form. */
  readonly buttons?: Html;
  /** A form below the others. */
  readonly switcher?: Html;
  /** The public path prefix. */
  readonly base: string;
}

/** The sidebar of every page for a signed-in user. On narrow screens, it is folded at the top. */
export function sidebar(parts: Sidebar): Html {
  const { brand, home, menu, menuPath, signOut, csrf, user, buttons, switcher, base } = parts;
  const { t } = parts.language;
  const session = html`<span class="who">${user}</span>
    <button class="quiet">${t('signOut')}</button>
    ${buttons}`;
  const inside = html`<nav class="menu" aria-label="${t('pages')}">
      <ul>
        ${menu.map(
          ({ path, label }) =>
            html`<li>
              <a href="${base}${path}" ${path === menuPath && html`aria-current="page"`}>${label}</a>
            </li>`,
        )}
      </ul>
    </nav>
    ${postForm(`${base}${signOut}`, csrf, session, { className: 'session' })} ${switcher}`;
  // Only one of the two is displayed, depending on the width.
  return html`<header class="sidebar">
    <p class="brand"><a href="${base}${home}">${brand}</a></p>
    <div class="unfolded">${inside}</div>
    <details class="folded">
      <summary>${t('menu')}</summary>
      ${inside}
    </details>
  </header>`;
}

/** The header of a page that requires no signed-in user. */
export const banner = (brand: string, switcher?: Html): Html =>
  html`<header class="sidebar">
    <p class="brand">${brand}</p>
    ${switcher}
  </header>`;
