import { escapeHtml } from '@receipts/contracts';
import type { Page } from '../http/pages';
import type { Framed } from './docs-frame';
import { paragraphs } from './html';
import type { JsonSchema } from './json-schema';
import { fields, resolver } from './schema-view';

interface EventApi {
  readonly components: {
    readonly messages: Readonly<
      Record<
        string,
        {
          readonly summary: string;
          readonly description: string;
          readonly payload: JsonSchema;
          readonly examples: readonly { readonly payload: JsonSchema }[];
        }
      >
    >;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** `/docs/events`: the events that integrators receive by webhooks, from the feed and from the broker. */
export function eventGuide(
  asyncapi: JsonSchema,
  frame: (title: string, content: string, path?: string) => Framed,
): Page {
  const { components } = asyncapi as unknown as EventApi;
  const resolve = resolver(components.schemas);
  const cards = Object.entries(components.messages).map(
    ([type, { summary, description, payload, examples }]) =>
      `<details class="card" id="${escapeHtml(type)}"><summary><code>${escapeHtml(type)}</code> <span class="soft">${escapeHtml(summary)}</span></summary>` +
      `<div class="body">${paragraphs(description)}${fields(resolve, payload)}` +
      `<h3>Example</h3><pre tabindex="0">${escapeHtml(JSON.stringify(examples[0]?.payload, null, 2))}</pre></div></details>`,
  );
  const content =
    '<h1>Events</h1><p>CloudEvents 1.0. You can receive the same events through webhooks (<code>POST /webhooks/endpoints</code>), the feed (<code>GET /events</code>) and the broker.</p>' +
    cards.join('');
  return { path: '/docs/events', ...frame('Events', content, '/docs/events') };
}
