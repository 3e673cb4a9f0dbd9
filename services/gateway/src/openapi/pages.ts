import type { Page } from '../http/pages';
import type { Contracts } from '../http/routes';
import { DocsAssets } from './docs-assets';
import { DocsFrame } from './docs-frame';
import { describeApi, productName, type ApiDescriptionOptions } from './document';
import { errorPages } from './error-catalogue';
import { eventGuide } from './event-guide';
import { describeEvents, schemaOfEvent, type Events } from './events';
import { searchGuide } from './search-guide';
import { signingGuide } from './signing-guide';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The schemas at the addresses that events contain as their `dataschema`. */
function schemaPages(events: readonly Events[]): Page[] {
  return events
    .flatMap((owned) => Object.values(owned))
    .map((event) => ({
      path: `/schemas/${event.type}/1`,
      contentType: 'application/schema+json',
      body: json(schemaOfEvent(event)),
    }));
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
  const assets = new DocsAssets(basePath);
  const frame = new DocsFrame(productName, basePath, assets);
  return [
    { path: '/openapi.json', contentType: 'application/json', body: json(openapi) },
    { path: '/asyncapi.json', contentType: 'application/json', body: json(asyncapi) },
    { path: '/docs', ...frame.reference() },
    ...assets.pages,
    ...errorPages(contracts, frame.plain),
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
