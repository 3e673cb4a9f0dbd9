import { html, type Html } from './html';
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

/** Something went wrong that the person in front of the page can mend. */
export const problem = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="notice bad" role="alert">${text}</p>`;

export const success = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="notice good" role="status">${text}</p>`;

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: string;
  readonly autocomplete?: string;
  readonly hint?: string;
  readonly required?: boolean;
}

export function field({
  name,
  label,
  value,
  type = 'text',
  autocomplete = 'off',
  hint,
  required,
}: Field): Html {
  const hintId = `${name}-hint`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${hint !== undefined && html`aria-describedby="${hintId}"`}
      ${required && html`required`}
    />
    ${hint !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`;
}
