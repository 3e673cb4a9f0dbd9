import type { Call } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { htmlDocument } from '../pages/html-document';
import type { Language } from '../pages/language';
import type { Frame } from '../pages/error-shell';
import { pageReply, type PageContent, type PageReply } from '../pages/reply';
import { banner, sidebar } from '../pages/sidebar';
import { faultText } from './fault-text';
import { languageSwitch, type SentHeaders } from './language-switch';
import type { Portal } from './open-portal';
import { signedIn, type SignedIn } from './signed-in';
import { groupName } from './roles';

/** The pages in menu order, each with the permission that it needs, if any. */
const menu = [
  { path: '/portal/', label: 'menu.receipts', permission: 'view.get_receipt' },
  { path: '/portal/totals', label: 'menu.totals', permission: 'view.get_report' },
  { path: '/portal/tills', label: 'menu.tills', permission: 'view.get_report' },
  { path: '/portal/checks', label: 'menu.checks', permission: 'view.search_receipt' },
  { path: '/portal/packets', label: 'menu.packets', permission: 'view.get_packet' },
  { path: '/portal/mappings', label: 'menu.mappings', permission: 'view.manage_mapping' },
  { path: '/portal/webhooks', label: 'menu.webhooks', permission: 'view.manage_webhook' },
  { path: '/portal/integration', label: 'menu.integration', permission: 'view.get_client' },
  { path: '/portal/brand', label: 'menu.brand', permission: 'view.manage_brand' },
  { path: '/portal/users', label: 'menu.users', permission: 'view.put_portal_user' },
  { path: '/portal/notifications', label: 'menu.notifications', permission: undefined },
  { path: '/portal/account', label: 'account', permission: undefined },
  { path: '/portal/start', label: 'menu.start', permission: undefined },
] as const;

export type MenuPath = (typeof menu)[number]['path'];

interface Page {
  readonly title: string;
  readonly main: Html;
  /** The path of the page's script, or of several. */
  readonly script?: string | readonly string[];
}

interface SignedInPage extends Page {
  readonly user: Pick<SignedIn, 'user' | 'retailer' | 'session' | 'may' | 'language' | 'base'>;
  /** The menu entry of the page; undefined if it belongs to none. */
  readonly menuPath: MenuPath | undefined;
  /** The path of the page, if it is not that of its menu entry. */
  readonly path?: string;
}

interface PublicPage extends Page {
  readonly user?: undefined;
  readonly language: Language;
  /** The public path prefix before `/portal`. */
  readonly base: string;
  readonly path: string;
}

export type Layout = SignedInPage | PublicPage;

function headerOf(page: Layout): Html {
  const { base, language } = page.user ?? page;
  const { t } = language;
  if (!page.user) return banner(t('area'), languageSwitch(language, page.path, base));
  const who = page.user;
  const switcher = languageSwitch(language, page.path ?? page.menuPath ?? '/portal/', base);
  const { email, group } = who.user;
  return sidebar({
    language,
    switcher,
    base,
    home: '/portal/',
    menuPath: page.menuPath,
    signOut: '/portal/sign-out',
    brand: who.retailer.name,
    menu: menu
      .filter(({ permission }) => permission === undefined || who.may(permission))
      .map(({ path, label }) => ({ path, label: t(label) })),
    csrf: who.session.csrf,
    user: html`${email}${group && html` <span class="tag">${groupName(group, language)}</span>`}`,
  });
}

export function layout(page: Layout): Html {
  const { title, main, user, script = [] } = page;
  const { base, language } = user ?? page;
  return htmlDocument({
    language,
    title,
    area: language.t('area'),
    header: headerOf(page),
    hasSidebar: user !== undefined,
    main,
    stylesheets: [`${base}/portal/portal.css`],
    scripts: [script].flat().map((path) => `${base}${path}`),
  });
}

/** The response with a page for a signed-in user. */
export const pageFor = (
  user: SignedIn,
  page: Omit<SignedInPage, 'user'>,
  status?: number,
  content?: PageContent,
): PageReply =>
  pageReply(layout({ ...page, user }), status, { hasScript: page.script !== undefined, ...content });

/** The frame of errors for the signed-in user. */
export const portalFrame =
  (deps: Portal) =>
  async (headers: SentHeaders, call: Call): Promise<Frame | undefined> => {
    const who = await signedIn(deps, headers, call);
    if (!who) return undefined;
    const { language, base } = who;
    return {
      language,
      home: { href: `${base}/portal/`, label: language.t('receipt.all') },
      faultText: (error) => faultText(error, language),
      show: (page, status) => pageFor(who, { ...page, menuPath: undefined }, status),
    };
  };
