import { commaSeparatedList, freePairs, integer, text } from '@receipts/contracts';
import { bytes, defineCommand, defineQuery, json, jsonVariants, rawOutput } from '@receipts/kernel';
import { z } from 'zod';

const thing = z.object({ id: z.string() });

/** One small contract for each feature that a contract can use. */
export const testContracts = {
  createThing: defineCommand(
    {
      name: 'things.create-thing',
      summary: 'Create a thing',
      description: "Takes JSON and returns the owner's reply.",
      permission: 'view.post_thing',
      forConsumers: 'confined',
      http: { method: 'POST', path: '/things', success: 201 },
      body: json(
        z.strictObject({
          name: z.string().min(1),
          total: z.number(),
          parts: z.array(z.strictObject({ name: z.string() })).optional(),
          properties: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
      output: thing,
      meta: thing,
    },
    {
      response: ({ id }) => ({ headers: { location: `/things/${id}` } }),
      consumerOf: ({ body }) => body.name,
    },
  ),
  listThingsV1: defineQuery({
    name: 'things.list-things-v1',
    summary: 'List things',
    description: 'The first version.',
    permission: 'view.get_thing',
    forConsumers: 'confined',
    http: { method: 'GET', path: '/things', version: '1', success: 200, consumerScoped: true },
    query: z.object({
      count: integer({ min: 1, max: 20, description: 'The number of things.' }).default(20),
      consumer: commaSeparatedList({ max: 5, description: 'The consumers.' }).optional(),
      name: text({ description: 'The name of the thing.' }).optional(),
    }),
    output: z.array(thing),
  }),
  listThings: defineQuery({
    name: 'things.list-things',
    summary: 'List things',
    description: 'The second version.',
    permission: 'view.get_thing',
    http: { method: 'GET', path: '/things', version: '2', success: 200 },
    output: z.object({ things: z.array(thing) }),
  }),
  searchThings: defineQuery({
    name: 'things.search-things',
    summary: 'Search things',
    description: 'A fixed path next to one with a parameter.',
    permission: 'view.get_thing',
    forConsumers: 'confined',
    http: { method: 'GET', path: '/things/_search', success: 200 },
    query: z.object({ query: text({ description: 'The query to run.' }) }),
    output: z.object({ hits: z.number() }),
  }),
  getThing: defineQuery({
    name: 'things.get-thing',
    summary: 'Get a thing',
    description: 'One.',
    permission: 'view.get_thing',
    http: { method: 'GET', path: '/things/{id}', success: 200 },
    params: z.object({ id: z.string() }),
    output: thing,
  }),
  patchThing: defineCommand(
    {
      name: 'things.patch-thing',
      summary: 'Patch a thing',
      description: 'Takes two media types.',
      permission: 'view.patch_thing',
      needs: { permissions: true },
      http: { method: 'PATCH', path: '/things/{id}', success: 200 },
      params: z.object({ id: z.string() }),
      headers: z.object({ 'if-match': text({ description: 'The version to change.' }).optional() }),
      body: jsonVariants({
        'application/json': z.strictObject({ name: z.string() }),
        'application/json-patch+json': z.array(z.unknown()),
      }),
      output: thing,
      meta: z.object({ version: z.number() }),
    },
    { response: ({ version }) => ({ headers: { ETag: `"${version}"` } }) },
  ),
  acceptBlob: defineCommand(
    {
      name: 'things.accept-blob',
      summary: 'Accept bytes',
      description: 'Confirmed by the broker.',
      permission: 'view.post_thing',
      http: {
        method: 'POST',
        path: '/blobs',
        success: 202,
        freeQueryPrefixes: ['property-', 'external-id'],
        freeHeaderPrefixes: ['service-'],
      },
      query: z.object({ free: freePairs() }),
      headers: z.object({ free: freePairs() }),
      body: bytes('body'),
      meta: thing,
    },
    {
      response: ({ id }) => ({ headers: { location: `/things/${id}` } }),
      oneWay: ({ query }) => query.free.every(([name]) => name !== 'external_id'),
    },
  ),
  createAttachment: defineCommand({
    name: 'things.create-attachment',
    summary: 'Create an attachment',
    description: 'Large bytes.',
    permission: 'view.post_thing',
    http: { method: 'POST', path: '/attachments', success: 201 },
    body: bytes('attachment'),
    output: thing,
  }),
  getAttachment: defineQuery(
    {
      name: 'things.get-attachment',
      summary: 'Get an attachment',
      description: 'Bytes of any type.',
      permission: 'view.get_thing',
      http: { method: 'GET', path: '/attachments/{id}', success: 200 },
      params: z.object({ id: z.string() }),
      output: rawOutput,
      meta: z.object({ contentType: z.string() }),
    },
    { response: () => ({ headers: { 'content-security-policy': 'sandbox' } }) },
  ),
  pokeThing: defineCommand({
    name: 'things.poke-thing',
    summary: 'Poke',
    description: 'Takes and returns no data.',
    permission: 'view.post_thing',
    http: { method: 'POST', path: '/things/{id}/_poke', success: 204, fromPages: true },
    params: z.object({ id: z.string() }),
  }),
  operate: defineQuery({
    name: 'things.operate',
    summary: 'Operate',
    description: 'For the operator.',
    http: { method: 'GET', path: '/operator/things', access: 'operator', success: 200 },
    output: z.object({ things: z.number() }),
  }),
  look: defineQuery({
    name: 'things.look',
    summary: 'Look',
    description: 'For anybody.',
    http: { method: 'GET', path: '/public/things', access: 'public', success: 200 },
    output: z.object({ things: z.number() }),
  }),
  internal: defineQuery({
    name: 'things.internal',
    summary: 'Internal',
    description: 'Has no route.',
    body: z.object({}),
    output: thing,
  }),
};
