import type { Page } from '../http/app';
import type { Contracts } from '../http/mount';
import { describeApi, type ApiDescriptionOptions } from './document';
import { errorPages } from './error-catalogue';
import { describeEvents, schemaOfEvent, type Events } from './events';
import { documentationPage, plainPage, type DocumentationPage } from './page';
import { searchGuide } from './search-guide';
import { signingGuide } from './signing-guide';

function asPage({ html, policy }: DocumentationPage): Omit<Page, 'path'> {
  return {
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(html),
    headers: { 'content-security-policy': policy },
  };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The schemas that events name as their `dataschema`. */
function schemaPages(events: readonly Events[]): Page[] {
  return events
    .flatMap((owned) => Object.values(owned))
    .map((event) => ({
      path: `/schemas/${event.type}/1`,
      contentType: 'application/schema+json',
      body: json(schemaOfEvent(event)),
    }));
}

/** What the gateway serves about itself: descriptions, pages for people, the catalogue of errors, schemas of events. */
export function descriptionPages(
  contracts: readonly Contracts[],
  events: readonly Events[],
  options: ApiDescriptionOptions,
): Page[] {
  const openapi = describeApi(contracts, options);
  const asyncapi = describeEvents(events, options.version);
  const { basePath = '' } = options;
  const plain = (title: string, content: string) => asPage(plainPage(title, content));
  return [
    { path: '/openapi.json', contentType: 'application/json', body: json(openapi) },
    { path: '/asyncapi.json', contentType: 'application/json', body: json(asyncapi) },
    { path: '/docs', ...asPage(documentationPage(openapi, asyncapi)) },
    ...errorPages(contracts, plain),
    searchGuide(plain),
    signingGuide(plain),
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
