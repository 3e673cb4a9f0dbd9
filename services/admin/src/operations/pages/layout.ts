import type { Call } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import type { Frame } from '../../pages/error-shell';
import { htmlDocument } from '../../pages/html-document';
import { languageIn } from '../../pages/language';
import { pageReply } from '../../pages/reply';
import { banner, sidebar } from '../../pages/sidebar';
import type { Operations } from '../open-operations';
import { signedIn, type Operator, type SentHeaders } from './signed-in';

/** Operators read English. */
export const language = languageIn('en');

/** The pages, in menu order. */
const menu = [
  { path: '/operator/', label: 'Services' },
  { path: '/operator/pages/queues', label: 'Queues' },
  { path: '/operator/pages/dead-letters', label: 'Dead letters' },
  { path: '/operator/pages/packets', label: 'Failed packets' },
  { path: '/operator/pages/webhooks', label: 'Webhooks' },
  { path: '/operator/pages/deliveries', label: 'Deliveries' },
  { path: '/operator/pages/audit', label: 'Audit log' },
] as const;

export type MenuPath = (typeof menu)[number]['path'];

export interface Layout {
  readonly title: string;
  readonly main: Html;
  /** Absent if no operator is signed in. */
  readonly who?: Pick<Operator, 'session'>;
  /** The menu entry of the page. */
  readonly menuPath?: MenuPath;
  /** True if a script refreshes the `livePart` of the page. */
  readonly isLive?: boolean;
  /** The public path prefix before `/operator`. */
  readonly base: string;
}

function headerOf({ who, menuPath, base }: Layout): Html {
  if (!who) return banner('Operations');
  return sidebar({
    language,
    brand: 'Operations',
    home: '/operator/',
    menu,
    menuPath,
    base,
    signOut: '/operator/sign-out',
    csrf: who.session.csrf,
    user: html`${who.session.operator}`,
    buttons: html`<details>
      <summary>Sign out everywhere</summary>
      <p>This ends the sessions of all operators on all devices.</p>
      <button class="danger" name="everywhere" value="true">Sign everyone out</button>
    </details>`,
  });
}

/** The part of a page that the browser refreshes, until the operator pauses it. */
export const livePart = (content: Html): Html =>
  html`<div data-refreshed="5" data-pause="Pause updates" data-resume="Resume updates">${content}</div>`;

export function layout(page: Layout): Html {
  const { title, base, main, who } = page;
  return htmlDocument({
    language,
    title,
    area: 'Operations',
    header: headerOf(page),
    hasSidebar: who !== undefined,
    main,
    stylesheets: [`${base}/portal/portal.css`, `${base}/operator/operations.css`],
    scripts: page.isLive === true ? [`${base}/portal/live-part.js`] : [],
  });
}

/** The frame of errors for the signed-in operator. */
export const operationsFrame =
  (operations: Operations) =>
  async (headers: SentHeaders, call: Call): Promise<Frame | undefined> => {
    const who = await signedIn(operations, headers, call);
    if (!who) return undefined;
    const { base } = operations;
    return {
      language,
      home: { href: `${base}/operator/`, label: 'Services' },
      faultText: ({ description }) => language.api(description),
      show: (page, status) => pageReply(layout({ ...page, who, base }), status),
    };
  };
