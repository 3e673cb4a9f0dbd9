import type { Page } from '../http/app';
import type { Contracts } from '../http/mount';
import { describeApi, type ApiDescriptionOptions } from './document';
import { describeEvents, type Events } from './events';
import { documentationPage } from './page';

/** What the gateway serves about itself: /openapi.json, /asyncapi.json and /docs. */
export function descriptionPages(
  contracts: readonly Contracts[],
  events: readonly Events[],
  options: ApiDescriptionOptions,
): Page[] {
  const openapi = describeApi(contracts, options);
  const asyncapi = describeEvents(events, options.version);
  const { html, policy } = documentationPage(openapi, asyncapi);
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  return [
    { path: '/openapi.json', contentType: 'application/json', body: json(openapi) },
    { path: '/asyncapi.json', contentType: 'application/json', body: json(asyncapi) },
    {
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      body: Buffer.from(html),
      headers: { 'content-security-policy': policy },
    },
  ];
}
