import { escapeHtml } from '@receipts/contracts';

/** Returns the target of a link, or undefined to show only its text. */
export type LinkTarget = (href: string) => string | undefined;

const marks = {
  code: /`([^`]+)`/,
  link: /!?\[([^\]]*)\]\(([^)\s]+)\)/,
  bold: /\*\*(.+?)\*\*/,
  italic: /(?<!\w)_([^_]+)_(?!\w)/,
} as const;

/** The mark that begins first decides, because it may contain the others. */
function spans(text: string, target: LinkTarget): string {
  const found = Object.values(marks).map((pattern) => pattern.exec(text));
  const [first] = found.filter((one) => one !== null).toSorted((a, b) => a.index - b.index);
  if (!first) return escapeHtml(text);
  const [all, content = '', href = ''] = first;
  const before = escapeHtml(text.slice(0, first.index));
  const after = spans(text.slice(first.index + all.length), target);
  return before + marked(all, { content, href }, target) + after;
}

function marked(
  mark: string,
  { content, href }: { readonly content: string; readonly href: string },
  target: LinkTarget,
): string {
  if (mark.startsWith('`')) return `<code>${escapeHtml(content)}</code>`;
  const words = spans(content, target);
  if (mark.startsWith('**')) return `<strong>${words}</strong>`;
  if (mark.startsWith('_')) return `<em>${words}</em>`;
  const address = target(href);
  return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
}

/** The id of a heading, as on GitHub. */
export const headingId = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const startsBlock = /^(#{1,4} |```|\||[-*] |\d+\. |>)/;

/** Reads the lines of a document from the current one on. */
class Lines {
  private at = 0;

  constructor(private readonly all: readonly string[]) {}

  get current(): string | undefined {
    return this.all[this.at];
  }

  take(): string {
    return this.all[this.at++] ?? '';
  }

  takeWhile(belongs: (line: string) => boolean): readonly string[] {
    const taken: string[] = [];
    while (this.current !== undefined && belongs(this.current)) taken.push(this.take());
    return taken;
  }
}

function table(rows: readonly string[], target: LinkTarget): string {
  const cells = rows.map((row) => row.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/));
  const row = (columns: readonly string[], tag: string) =>
    `<tr>${columns.map((cell) => `<${tag}>${spans(cell.trim().replaceAll('\\|', '|'), target)}</${tag}>`).join('')}</tr>`;
  const [head = [], , ...body] = cells;
  return `<table><thead>${row(head, 'th')}</thead><tbody>${body.map((columns) => row(columns, 'td')).join('')}</tbody></table>`;
}

const itemPattern = /^([-*]|\d+\.) +/;

function list(lines: Lines, target: LinkTarget): string {
  const tag = /^\d/.test(lines.current ?? '') ? 'ol' : 'ul';
  const items: string[] = [];
  while (lines.current !== undefined && itemPattern.test(lines.current)) {
    const first = lines.take().replace(itemPattern, '');
    const more = lines.takeWhile((line) => /^\s+\S/.test(line) || (line !== '' && !startsBlock.test(line)));
    items.push(`<li>${spans([first, ...more.map((line) => line.trim())].join(' '), target)}</li>`);
  }
  return `<${tag}>${items.join('')}</${tag}>`;
}

function block(lines: Lines, target: LinkTarget): string {
  const line = lines.current ?? '';
  const heading = /^(#{1,4}) (.*)$/.exec(line);
  if (heading) {
    lines.take();
    const [, marks = '', text = ''] = heading;
    return `<h${marks.length} id="${headingId(text)}">${spans(text, target)}</h${marks.length}>`;
  }
  if (line.startsWith('```')) {
    lines.take();
    const code = lines.takeWhile((one) => !one.startsWith('```')).join('\n');
    lines.take();
    return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`;
  }
  if (line.startsWith('|'))
    return table(
      lines.takeWhile((one) => one.startsWith('|')),
      target,
    );
  if (itemPattern.test(line)) return list(lines, target);
  const first = lines.take();
  const more = lines.takeWhile((one) => one !== '' && !startsBlock.test(one));
  return `<p>${spans([first, ...more].join(' '), target)}</p>`;
}

/** Renders the subset of Markdown that the guides use: headings, paragraphs, lists, tables, code, links and bold. */
export function markdownHtml(text: string, target: LinkTarget): string {
  const lines = new Lines(text.split('\n'));
  const blocks: string[] = [];
  while (lines.current !== undefined) {
    if (lines.current === '') lines.take();
    else blocks.push(block(lines, target));
  }
  return blocks.join('\n');
}
