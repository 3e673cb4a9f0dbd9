import { Marked } from 'marked';
import { escapeHtml, Html } from '@receipts/html';

/** Returns the target of a link, or undefined to show only its text. */
export type LinkTarget = (href: string) => string | undefined;

/** The id of a heading, as on GitHub. */
export const headingId = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** Renders Markdown. HTML in it is shown as text, and images as their descriptions. */
export function markdownHtml(markdown: string, target: LinkTarget): Html {
  const renderer = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const address = target(href);
        return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
      image: ({ text }) => escapeHtml(text),
      html: ({ text }) => escapeHtml(text),
      // The keyboard can scroll only elements that can receive the focus.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  return new Html(renderer.parse(markdown, { async: false }));
}
