import { html } from '@receipts/html';
import { schemaPathOf } from '@receipts/kernel';
import type { Page } from '../http/pages';
import type { Contracts } from '../http/routes';
import { docsAssets } from './docs-assets';
import { DocsFrame, type Framed } from './docs-frame';
import { describeApi, productName, type ApiDescriptionOptions } from './document';
import { errorPages, type OperationAddresses } from './error-catalogue';
import { eventGuide } from './event-guide';
import { describeEvents, schemaOfEvent, type Events } from './events';
import { readGuides, type Guide } from './guides';
import { markdownHtml } from './markdown';
import { operationGroups, referencePath, type ApiDescription, type OperationGroup } from './operation-groups';
import { referenceDocument } from './reference';
import { searchEntries } from './search-entries';
import { searchGuide } from './search-guide';
import { signingGuide } from './signing-guide';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The schemas at the addresses that events contain as their `dataschema`. */
function schemaPages(events: readonly Events[]): Page[] {
  return events
    .flatMap((owned) => Object.values(owned))
    .map((event) => ({
      path: schemaPathOf(event),
      contentType: 'application/schema+json',
      body: json(schemaOfEvent(event)),
    }));
}

const addressesOf = (groups: readonly OperationGroup[], basePath: string): OperationAddresses =>
  new Map(
    groups.flatMap(({ operations }) =>
      operations.map(({ method, path, address }) => [`${method} ${path}`, basePath + address]),
    ),
  );

/** `/docs`: what the API is, and where to find its parts. */
function overview(
  { info }: ApiDescription,
  groups: readonly OperationGroup[],
  guides: readonly Guide[],
  { frame, basePath }: { readonly frame: DocsFrame; readonly basePath: string },
): Framed {
  const about = markdownHtml(info.description, (href) => `${basePath}/${href}`);
  const cards = groups.map(({ address, title, operations }) => {
    const words = operations.slice(0, 4).map(({ described }) => described.summary);
    return html`<li>
      <a href="${basePath}${address}">${title}</a><span class="soft">${words.join(' · ')}</span>
    </li>`;
  });
  const titles = guides
    .filter(({ name }) => name !== '')
    .map(({ name, title }) => html`<li><a href="${basePath}/docs/guides/${name}">${title}</a></li>`);
  const content = html`<h1>Documentation</h1>
    ${about}
    <h2>API</h2>
    <ul class="cards">
      ${cards}
    </ul>
    <h2>Guides</h2>
    <ul class="links">
      ${titles}
    </ul>`;
  return frame.plain('Documentation', content, '/docs');
}

/** All pages that the gateway itself serves: API descriptions, documentation, the catalogue of errors, event schemas. */
export function descriptionPages(
  contracts: readonly Contracts[],
  events: readonly Events[],
  options: ApiDescriptionOptions,
): Page[] {
  const openapi = describeApi(contracts, options);
  const asyncapi = describeEvents(events, options.version);
  const { basePath = '' } = options;
  const assets = docsAssets();
  const api = openapi as unknown as ApiDescription;
  const groups = operationGroups(api);
  const guides = readGuides(basePath);
  const frame = new DocsFrame({ product: productName, basePath, assets, groups, guides });
  const description = `${referencePath}/openapi.json`;
  return [
    { path: '/openapi.json', contentType: 'application/json', body: json(openapi) },
    { path: '/asyncapi.json', contentType: 'application/json', body: json(asyncapi) },
    { path: '/docs', ...overview(api, groups, guides, { frame, basePath }) },
    {
      path: '/docs/search.json',
      contentType: 'application/json',
      body: json(
        searchEntries({ groups, components: api.components, guides, events: asyncapi.components.messages }),
      ),
    },
    { path: referencePath, ...frame.reference(description) },
    {
      path: description,
      contentType: 'application/json',
      body: json(referenceDocument(api, groups, basePath)),
    },
    ...guides.map((guide) => {
      const path = `/docs/guides${guide.name === '' ? '' : `/${guide.name}`}`;
      return { path, ...frame.plain(guide.title, guide.html, path) };
    }),
    assets.style,
    assets.script,
    ...Object.values(assets.reference),
    ...errorPages(contracts, addressesOf(groups, basePath), frame.plain),
    eventGuide(asyncapi, frame.plain),
    searchGuide(frame.plain),
    signingGuide(frame.plain),
    ...schemaPages(events),
    {
      path: '/',
      status: 302,
      contentType: 'text/plain',
      body: Buffer.alloc(0),
      headers: { location: `${basePath}/docs` },
    },
  ];
}
