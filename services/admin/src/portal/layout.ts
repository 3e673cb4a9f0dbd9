import { html, type Html } from '../pages/html';
import { htmlDocument } from '../pages/html-document';
import { banner, sidebar } from '../pages/sidebar';
import type { SignedIn } from './signed-in';

/** The pages, in the order of the menu, each with the permission that it needs. */
const menu = [
  { path: '/portal/', label: 'Receipts', permission: 'view.get_receipt' },
  { path: '/portal/totals', label: 'Totals', permission: 'view.get_report' },
  { path: '/portal/checks', label: 'Failing checks', permission: 'view.search_receipt' },
  { path: '/portal/packets', label: 'Failed packets', permission: 'view.get_packet' },
  { path: '/portal/mappings', label: 'Mappings', permission: 'view.manage_mapping' },
  { path: '/portal/webhooks', label: 'Webhooks', permission: 'view.manage_webhook' },
  { path: '/portal/integration', label: 'Integration', permission: 'view.get_client' },
] as const;

export type MenuPath = (typeof menu)[number]['path'];

export interface Layout {
  readonly title: string;
  readonly main: Html;
  /** Absent if no operator is signed in. */
  readonly user?: Pick<SignedIn, 'user' | 'retailer' | 'session' | 'may'>;
  /** The menu entry of the page. */
  readonly place?: MenuPath;
  /** The path of the page's script. */
  readonly script?: string;
  /** The public path prefix before `/portal`. */
  readonly base: string;
}

function headerOf({ user, place, base }: Layout): Html {
  if (!user) return banner('Receipt portal');
  const { email, group } = user.user;
  return sidebar({
    ...{ brand: user.retailer.name, home: '/portal/', place, base, signOut: '/portal/sign-out' },
    menu: menu.filter(({ permission }) => user.may(permission)),
    csrf: user.session.csrf,
    user: html`${email}${group && html` <span class="tag">${group}</span>`}`,
  });
}

export function layout(page: Layout): Html {
  const { title, base, main, user, script } = page;
  return htmlDocument({
    ...{ title, area: 'Receipt portal', header: headerOf(page), hasSidebar: user !== undefined, main },
    stylesheets: [`${base}/portal/portal.css`],
    script: script === undefined ? undefined : `${base}${script}`,
  });
}
