import { html, type Html } from '@receipts/html';

/** Renders the subset of Markdown that descriptions use: paragraphs, `code` and **bold**. */
export const paragraphs = (text: string): readonly Html[] =>
  text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);

export const inline = (text: string): readonly (Html | string)[] =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    return /^\*\*[^*]+\*\*$/.test(part) ? html`<strong>${part.slice(2, -2)}</strong>` : part;
  });
