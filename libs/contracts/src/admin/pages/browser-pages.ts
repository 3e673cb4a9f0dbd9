import {
  checkedByOwner,
  defineCommand,
  defineQuery,
  form,
  permissionDenied,
  rawOutput,
  type ErrorDefinition,
  type HttpResponse,
} from '@receipts/kernel';
import { z } from 'zod';
import { text } from '../../shared/query-parameters';

/** The request headers that pages use. */
const pageHeaders = z.object({
  cookie: z
    .string()
    .max(8192)
    .optional()
    .meta({ description: 'The session cookie set by an earlier response.', examples: ['portal=1a2b3c'] }),
  'accept-language': z
    .string()
    .max(8192)
    .optional()
    .meta({
      description: 'The languages that the reader prefers. The portal uses one of them if it can.',
      examples: ['fr-FR, en;q=0.8'],
    }),
  host: z
    .string()
    .max(1024)
    .optional()
    .meta({
      description: 'The host that the request was sent to; compared with `Origin`.',
      examples: ['receipts.example'],
    }),
  origin: z
    .string()
    .max(1024)
    .optional()
    .meta({
      description: 'The origin of the page that sent the form. Forms from other sites are rejected.',
      examples: ['https://receipts.example'],
    }),
  'sec-fetch-site': z
    .string()
    .max(64)
    .optional()
    .meta({
      description: 'Whether the request comes from a page of the same site (Fetch Metadata).',
      examples: ['same-origin'],
    }),
  'sec-fetch-dest': z
    .string()
    .max(64)
    .optional()
    .meta({
      description: 'Whether the browser opens a page or a script requests data (Fetch Metadata).',
      examples: ['document'],
    }),
  /** Set by the gateway. Headers with these names from the client are ignored. */
  'caller-address': z.string().optional(),
  /** The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address. */
  'caller-network': z.string().optional(),
});

/** The parts of a page's response other than its body. */
const pageMeta = z.object({
  contentType: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()).optional(),
  /** Where the next part of a long file begins. The gateway requests it with the parameter `part`. */
  next: z.string().optional(),
});

const response = ({ status, headers, cookies }: z.output<typeof pageMeta>): HttpResponse => ({
  status,
  headers: { ...headers, ...(cookies && { 'set-cookie': cookies }) },
});

/** The secret that proves that a form comes from a page of the same sign-in. */
export const csrf = z
  .string()
  .max(100)
  .describe('The secret of the session, which the page inserts into its forms.');

/** Where the browser is redirected after a form is submitted. */
export const nextPage = z.string().max(200).optional().describe('The path of the page to open next.');
export const nextPageParameter = text({
  min: 0,
  max: 200,
  description: 'The page to open after signing in.',
  example: '/portal/',
}).optional();

const answered = (description: string, example: string, max = 4000) =>
  text({ min: 0, max, description, example }).optional();

/** The parameters with which an identity provider redirects back (OpenID Connect, RFC 6749, RFC 9207). */
export const identityProviderAnswer = z.object({
  code: answered('The authorization code.', 'SplxlOBeZQQYbYS6WxSbIA'),
  state: answered('The value that the request contained.', 'af0ifjsldkj'),
  iss: answered('The identity provider.', 'https://accounts.example.com'),
  error: answered('Why the provider did not sign the person in.', 'access_denied'),
  error_description: answered('The reason in words.', 'The user has cancelled.'),
});

const chosenMax = 50;

/** The rows of a table that an action is started for. */
export const chosenIds = (description: string) =>
  z
    .union([z.string().max(100), z.array(z.string().max(100)).max(chosenMax)])
    .optional()
    .describe(description);

/** The result of a submitted form, which the page shows after the redirect. */
export const doneParameter = text({
  min: 0,
  max: 40,
  description: 'The action that was just performed, for a message on the page.',
  example: 'sent',
}).optional();

/** Password hashing is deliberately slow, and reading a long queue takes a while. */
const formTimeoutMs = 30_000;

const workPerMinute = 600;
const multipartType = 'multipart/form-data';
const pageType = 'text/html';
const route = { access: 'public', success: 200, produces: [pageType] } as const;
const common = { headers: pageHeaders, output: rawOutput, meta: pageMeta } as const;

/** Stands for the query or path parameters of a page that takes none. */
type Nothing = Record<never, never>;
const nothing = z.object({});

const unknownPageParams = z.object({
  page: z
    .string()
    .max(200)
    .meta({ description: 'The name of the page.', examples: ['nowhere'] }),
});

interface PageFacts<Q extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly trailingSlash?: boolean;
  /** True for pages that other sites redirect to, with parameters of their own. */
  readonly ignoresUnknownQuery?: boolean;
  readonly query?: z.ZodObject<Q>;
  readonly params?: z.ZodObject<P>;
  /** The errors of this page, whether the page or the gateway shows them. */
  readonly errors?: readonly ErrorDefinition[];
  /** The media types of a file that is part of a page. */
  readonly produces?: readonly [string, ...string[]];
}

interface FormFacts<B extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly params?: z.ZodObject<P>;
  readonly body: z.ZodObject<B>;
  /** The errors of this form in addition to those of every form. */
  readonly errors?: readonly ErrorDefinition[];
  /** The maximum number of forms per minute from one address. Defaults to more than a person can send. */
  readonly perMinute?: number;
}

const pageRoute = ({
  path,
  trailingSlash = false,
  ignoresUnknownQuery = false,
  produces = route.produces,
}: Omit<PageFacts<Nothing, Nothing>, 'query' | 'params'>) =>
  ({
    ...route,
    method: 'GET',
    path,
    produces,
    trailingSlash,
    ignoresUnknownQuery,
    otherSuccess: [303],
  }) as const;

interface Site {
  /** Precedes each summary. */
  readonly name: string;
  /** How descriptions refer to the site. */
  readonly whose: string;
}

/** What the contracts of all forms share. */
const formCommand = <B extends z.ZodRawShape, P extends z.ZodRawShape>(
  site: Site,
  { name, summary, path, params, errors = [], perMinute = workPerMinute }: FormFacts<B, P>,
) =>
  ({
    ...common,
    name: `admin.${name}`,
    summary: `${site.name}: ${summary}`,
    description: `Accepts a form on ${site.whose}, for browsers. Not part of the stable API.`,
    http: {
      ...route,
      method: 'POST',
      path,
      otherSuccess: [303],
      rate: { requests: perMinute, perSeconds: 60 },
    },
    params: (params ?? nothing) as z.ZodObject<P>,
    errors: [permissionDenied, ...errors],
    timeoutMs: formTimeoutMs,
  }) as const;

/**
 * Defines the contracts of a site's HTML pages. Sessions use a cookie: API credentials do not open them, and forms are
 * accepted only from the site's own pages.
 */
function browserPages(site: Site) {
  const page = <Q extends z.ZodRawShape = Nothing, P extends z.ZodRawShape = Nothing>(
    facts: PageFacts<Q, P>,
  ) => {
    const { name, summary, query = nothing, params = nothing, errors = [] } = facts;
    return defineQuery(
      {
        ...common,
        name: `admin.${name}`,
        summary: `${site.name}: ${summary}`,
        description: `An HTML page of ${site.whose}, for browsers. Not part of the stable API.`,
        http: pageRoute(facts),
        query: query as z.ZodObject<Q>,
        params: params as z.ZodObject<P>,
        errors,
      },
      { response, nextPart: ({ next }) => (next === undefined ? undefined : { part: next }) },
    );
  };
  return {
    page,

    /** The page that stands for those that do not exist. @param folder the path of the pages */
    unknownPage: (name: string, folder: string) =>
      page({
        name,
        summary: 'a page that does not exist',
        path: `${folder}/{page}`,
        params: unknownPageParams,
        // Programs that accept no pages learn that it does not exist, rather than that it has another form.
        produces: [pageType, 'application/json'],
        errors: [{ status: 404, code: 'not_found', description: 'this page does not exist' }],
      }),

    /** A form that may be long and contain files. The owner validates it. */
    upload: <B extends z.ZodRawShape, P extends z.ZodRawShape = Nothing>(facts: FormFacts<B, P>) =>
      defineCommand(
        { ...formCommand(site, facts), body: checkedByOwner('body', { [multipartType]: facts.body }) },
        { response },
      ),

    form: <B extends z.ZodRawShape, P extends z.ZodRawShape = Nothing>(facts: FormFacts<B, P>) =>
      defineCommand({ ...formCommand(site, facts), body: form(facts.body) }, { response }),
  };
}

export const portalPages = browserPages({ name: 'Portal', whose: 'the retailer portal' });
export const operationsPages = browserPages({ name: 'Operations', whose: 'the operations pages' });
