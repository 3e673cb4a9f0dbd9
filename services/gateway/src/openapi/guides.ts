import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Html } from '@receipts/html';
import { headingId, markdownHtml } from './markdown';

const folder = path.resolve(__dirname, '../../../../docs/guides');

export interface Guide {
  /** The last part of its path. */
  readonly name: string;
  readonly title: string;
  readonly html: Html;
  /** The headings and texts of its sections, for the search. */
  readonly sections: readonly { readonly id: string; readonly title: string; readonly text: string }[];
}

/** Guides link to each other and to the documentation. Other files are in the repository, where readers may not be. */
function targetIn(basePath: string): (href: string) => string | undefined {
  return (href) => {
    const [, name = '', fragment = ''] = /^([a-z-]+|README)\.md(#.*)?$/.exec(href) ?? [];
    if (name === 'README') return `${basePath}/docs/guides`;
    if (name !== '') return `${basePath}/docs/guides/${name}${fragment}`;
    return href.startsWith('#') ? href : undefined;
  };
}

function sectionsOf(text: string): Guide['sections'] {
  const [, ...parts] = text.replace(/```[^]*?```/g, '').split(/^#{1,3} /m);
  return parts.map((part) => {
    const [title = '', ...body] = part.split('\n');
    return {
      id: headingId(title),
      title,
      text: body
        .join(' ')
        .replace(/[`*[\]]|\([^)]*\.md[^)]*\)/g, '')
        .trim(),
    };
  });
}

/** The guides of the repository; none if it was installed without them. */
export function readGuides(basePath: string): readonly Guide[] {
  return filesOf(folder).map((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const name = path.basename(file, '.md');
    return {
      name: name === 'README' ? '' : name,
      title: /^# (.*)$/m.exec(text)?.[1] ?? name,
      html: markdownHtml(text, targetIn(basePath)),
      sections: sectionsOf(text),
    };
  });
}

function filesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((file) => file.endsWith('.md'));
  } catch {
    return [];
  }
}
