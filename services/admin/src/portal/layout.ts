import { html, type Html } from '../pages/html';
import { htmlDocument } from '../pages/html-document';
import type { SignedIn } from './signed-in';

export interface Layout {
  readonly title: string;
  readonly main: Html;
  /** Absent if nobody is signed in. */
  readonly user?: Pick<SignedIn, 'user' | 'retailer' | 'session' | 'may'>;
  /** The public path prefix before `/portal`. */
  readonly base: string;
}

function headerOf({ user, base }: Layout): Html {
  if (!user) return html`<header class="bar"><p class="brand">Receipt portal</p></header>`;
  const { email, group } = user.user;
  return html`<header class="bar">
    <p class="brand"><a href="${base}/portal/">${user.retailer.name}</a></p>
    <form method="post" action="${base}/portal/sign-out" class="session">
      ${user.may('view.get_report') && html`<a href="${base}/portal/totals">Totals</a>`}
      <input type="hidden" name="csrf" value="${user.session.csrf}" />
      <span class="who">${email}${group && html` <span class="tag">${group}</span>`}</span>
      <button class="quiet">Sign out</button>
    </form>
  </header>`;
}

export function layout(page: Layout): Html {
  const { title, base, main } = page;
  return htmlDocument({
    ...{ title, area: 'Receipt portal', header: headerOf(page), main },
    stylesheets: [`${base}/portal/portal.css`],
  });
}
