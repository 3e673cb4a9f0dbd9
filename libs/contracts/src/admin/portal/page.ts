import { defineCommand, defineQuery, form, rawOutput, type HttpAnswer } from '@receipts/kernel';
import { z } from 'zod';

/** What a page is told of the browser that asks for it. */
const pageHeaders = z.object({
  cookie: z.string().max(8192).optional(),
  host: z.string().max(1024).optional(),
  origin: z.string().max(1024).optional(),
  'sec-fetch-site': z.string().max(64).optional(),
});

/** What a page says beside its text. */
const pageMeta = z.object({
  contentType: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()).optional(),
});

const answer = ({ status, headers, cookies }: z.output<typeof pageMeta>): HttpAnswer => ({
  status,
  headers: { ...headers, ...(cookies && { 'set-cookie': cookies }) },
});

/** Checking a password is costly on purpose. */
const formTimeoutMs = 15_000;

const pageType = 'text/html';
const route = { access: 'public', success: 200, produces: [pageType] } as const;
const common = { headers: pageHeaders, output: rawOutput, meta: pageMeta } as const;

interface PageFacts<Q extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly query: z.ZodObject<Q>;
  readonly params: z.ZodObject<P>;
}

/** A page of the portal. It is for people, and its session is a cookie: no credential of the API opens it. */
export function portalPage<Q extends z.ZodRawShape, P extends z.ZodRawShape>(facts: PageFacts<Q, P>) {
  const { name, summary, path, query, params } = facts;
  return defineQuery(
    {
      ...common,
      name: `admin.${name}`,
      summary: `Portal: ${summary}`,
      description: 'A page of the retailer portal, for browsers.',
      http: { ...route, method: 'GET', path, otherSuccess: [303] },
      query,
      params,
    },
    { answer },
  );
}

interface FormFacts<B extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly params: z.ZodObject<P>;
  readonly body: z.ZodObject<B>;
  /** Forms that one address may send in a minute. */
  readonly perMinute: number;
}

/** What a form of the portal does. It is taken from the portal's own pages only. */
export function portalForm<B extends z.ZodRawShape, P extends z.ZodRawShape>(facts: FormFacts<B, P>) {
  const { name, summary, path, params, body, perMinute } = facts;
  return defineCommand(
    {
      ...common,
      name: `admin.${name}`,
      summary: `Portal: ${summary}`,
      description: 'A form of the retailer portal, for browsers.',
      http: {
        ...route,
        method: 'POST',
        path,
        otherSuccess: [303],
        rate: { requests: perMinute, perSeconds: 60 },
      },
      params,
      body: form(body),
      timeoutMs: formTimeoutMs,
    },
    { answer },
  );
}
