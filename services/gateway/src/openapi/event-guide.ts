import { html } from '@receipts/html';
import type { Page } from '../http/pages';
import type { Frame } from './docs-frame';
import { paragraphs } from './description-html';
import type { EventApi } from './events';
import { fields, resolver } from './schema-view';

/** `/docs/events`: the events that integrators receive by webhooks, from the feed and from the broker. */
export function eventGuide({ components }: EventApi, frame: Frame): Page {
  const resolve = resolver(components.schemas);
  const cards = Object.entries(components.messages).map(
    ([type, { summary, description, payload, examples }]) =>
      html`<details class="card" id="${type}">
        <summary><code>${type}</code> <span class="soft">${summary}</span></summary>
        <div class="body">
          ${paragraphs(description)} ${fields(resolve, payload)}
          <h3>Example</h3>
          <pre tabindex="0">${JSON.stringify(examples[0]?.payload, null, 2)}</pre>
        </div>
      </details>`,
  );
  const content = html`<h1>Events</h1>
    <p>
      CloudEvents 1.0. You can receive the same events through webhooks (<code>POST /webhooks/endpoints</code
      >), the feed (<code>GET /events</code>) and the broker.
    </p>
    ${cards}`;
  return { path: '/docs/events', ...frame('Events', content, '/docs/events') };
}
