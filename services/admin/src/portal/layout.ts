import { html, type Html } from '../pages/html';
import type { SignedIn } from './signed-in';

export interface Layout {
  readonly title: string;
  readonly main: Html;
  /** Absent where nobody is signed in. */
  readonly user?: Pick<SignedIn, 'user' | 'retailer' | 'session'>;
  /** The path that the public sees before `/portal`. */
  readonly base: string;
}

function headerOf({ user, base }: Layout): Html {
  if (!user) return html`<header class="bar"><p class="brand">Receipt portal</p></header>`;
  const { email, group } = user.user;
  return html`<header class="bar">
    <p class="brand"><a href="${base}/portal/">${user.retailer.name}</a></p>
    <form method="post" action="${base}/portal/sign-out" class="session">
      <input type="hidden" name="csrf" value="${user.session.csrf}" />
      <span class="who">${email}${group && html` <span class="tag">${group}</span>`}</span>
      <button class="quiet">Sign out</button>
    </form>
  </header>`;
}

/** A whole page: what all of them have around what they say. */
export function layout(page: Layout): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Receipt portal</title>
        <link rel="stylesheet" href="${page.base}/portal/portal.css" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${headerOf(page)}
        <main id="main" tabindex="-1">${page.main}</main>
      </body>
    </html>`;
}
