import {
  defineCommand,
  defineQuery,
  form,
  permissionDenied,
  rawOutput,
  type ErrorDefinition,
  type HttpAnswer,
} from '@receipts/kernel';
import { z } from 'zod';

/** The request headers that pages use. */
const pageHeaders = z.object({
  cookie: z.string().max(8192).optional(),
  host: z.string().max(1024).optional(),
  origin: z.string().max(1024).optional(),
  'sec-fetch-site': z.string().max(64).optional(),
  'sec-fetch-dest': z.string().max(64).optional(),
  /** Set by the gateway. A header of this name from the client is ignored. */
  'caller-address': z.string().optional(),
});

/** The parts of a page's response other than its body. */
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

/** Password hashing is deliberately slow, and reading a long queue takes a while. */
const formTimeoutMs = 30_000;

const pageType = 'text/html';
const route = { access: 'public', success: 200, produces: [pageType] } as const;
const common = { headers: pageHeaders, output: rawOutput, meta: pageMeta } as const;

interface PageFacts<Q extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly query: z.ZodObject<Q>;
  readonly params: z.ZodObject<P>;
  /** The refusals of this page, whether it shows them itself or the gateway does. */
  readonly errors?: readonly ErrorDefinition[];
}

interface FormFacts<B extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly params: z.ZodObject<P>;
  readonly body: z.ZodObject<B>;
  /** The refusals of this form beside those of every form. */
  readonly errors?: readonly ErrorDefinition[];
  /** The maximum of forms per minute from one address. */
  readonly perMinute: number;
}

/**
 * Defines the contracts of a site's HTML pages. Sessions use a cookie: API credentials do not open them, and forms are
 * accepted only from the site's own pages.
 * @param site the site's name, which precedes each summary
 * @param whose how descriptions call the site
 */
export function browserPages(site: string, whose: string) {
  return {
    page: <Q extends z.ZodRawShape, P extends z.ZodRawShape>(facts: PageFacts<Q, P>) => {
      const { name, summary, path, query, params, errors = [] } = facts;
      return defineQuery(
        {
          ...common,
          name: `admin.${name}`,
          summary: `${site}: ${summary}`,
          description: `A page of ${whose}, for browsers.`,
          http: { ...route, method: 'GET', path, otherSuccess: [303] },
          query,
          params,
          errors,
        },
        { answer },
      );
    },

    form: <B extends z.ZodRawShape, P extends z.ZodRawShape>(facts: FormFacts<B, P>) => {
      const { name, summary, path, params, body, errors = [], perMinute } = facts;
      return defineCommand(
        {
          ...common,
          name: `admin.${name}`,
          summary: `${site}: ${summary}`,
          description: `A form of ${whose}, for browsers.`,
          http: {
            ...route,
            method: 'POST',
            path,
            otherSuccess: [303],
            rate: { requests: perMinute, perSeconds: 60 },
          },
          params,
          body: form(body),
          errors: [permissionDenied, ...errors],
          timeoutMs: formTimeoutMs,
        },
        { answer },
      );
    },
  };
}
