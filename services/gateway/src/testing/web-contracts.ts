import { choice, integer, text } from '@receipts/contracts';
import { bytes, defineCommand, defineQuery, form, rawOutput } from '@receipts/kernel';
import { z } from 'zod';

const header = text({ description: 'A header of the test.' }).optional();

/** Contracts that are not plain JSON endpoints: pages, forms, cookies, long polls. */
export const webContracts = {
  signIn: defineCommand(
    {
      name: 'web.sign-in',
      summary: 'Sign in',
      description: 'A form that sets two cookies and redirects.',
      http: {
        method: 'POST',
        path: '/web/sign-in',
        access: 'public',
        success: 303,
        rate: { requests: 3, perSeconds: 60 },
      },
      headers: z.object({ cookie: header, 'accept-language': header }),
      body: form(
        z.strictObject({
          email: z.string().min(1),
          groups: z.union([z.string(), z.array(z.string())]).optional(),
        }),
      ),
      meta: z.object({ cookies: z.array(z.string()) }),
    },
    { response: ({ cookies }) => ({ headers: { location: '/web/home', 'set-cookie': cookies } }) },
  ),
  view: defineQuery({
    name: 'web.view',
    summary: 'View',
    description: 'One thing in several representations, for anyone with the link.',
    http: {
      method: 'GET',
      path: '/web/things/{link}',
      access: 'public',
      success: 200,
      produces: ['text/html', 'application/pdf'],
    },
    params: z.object({ link: z.string() }),
    headers: z.object({ accept: choice(['text/html', 'application/pdf'], 'The media type.') }),
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
  }),
  importThings: defineCommand({
    name: 'web.import-things',
    summary: 'Import',
    description: 'Accepts two formats without parsing them.',
    permission: 'view.post_thing',
    http: { method: 'PUT', path: '/web/things', success: 204 },
    body: bytes('attachment', ['text/csv', 'application/json']),
  }),
  listAll: defineQuery(
    {
      name: 'web.list-all',
      summary: 'List all',
      description: 'A list that may be too long for one message.',
      permission: 'view.get_thing',
      http: { method: 'GET', path: '/web/all', success: 200 },
      query: z.object({
        count: integer({ min: 1, max: 9, description: 'The number of numbers.' }).optional(),
        after: z.int().optional().meta({ internal: true }),
      }),
      output: z.array(z.int()),
      meta: z.object({ next: z.int().optional() }),
    },
    { nextPart: ({ next }) => (next === undefined ? undefined : { after: next }) },
  ),
  exportAll: defineQuery(
    {
      name: 'web.export-all',
      summary: 'Export all',
      description: 'The same list as text.',
      permission: 'view.get_thing',
      http: { method: 'GET', path: '/web/all.csv', success: 200 },
      output: rawOutput,
      meta: z.object({ contentType: z.string(), next: z.int().optional() }),
    },
    { nextPart: ({ next }) => (next === undefined ? undefined : { after: next }) },
  ),
  exportThese: defineQuery(
    {
      name: 'web.export-these',
      summary: 'Export these',
      description: 'The same list as text, for a body.',
      permission: 'view.get_thing',
      http: { method: 'POST', path: '/web/these.csv', success: 200 },
      body: bytes('body'),
      output: rawOutput,
      meta: z.object({ contentType: z.string(), next: z.int().optional() }),
    },
    { nextPart: ({ next }) => (next === undefined ? undefined : { after: next }) },
  ),
  follow: defineQuery(
    {
      name: 'web.follow',
      summary: 'Follow',
      description: 'Waits until there is data.',
      permission: 'view.get_thing',
      http: { method: 'GET', path: '/web/news', success: 200 },
      query: z.object({
        wait: integer({ min: 0, max: 30, description: 'How long to wait.' }).default(0),
        after: text({ description: 'The cursor of the page.' }).optional(),
      }),
      output: z.object({ news: z.array(z.string()) }),
      meta: z.object({ next: z.string(), isEmpty: z.boolean() }),
    },
    {
      poll: {
        waitSeconds: ({ query }) => query.wait,
        nextQuery: ({ next, isEmpty }) => (isEmpty ? { after: next } : undefined),
      },
    },
  ),
};
