import { randomBytes } from 'node:crypto';
import { callOf as clientCall } from '@receipts/testing';
import { z } from 'zod';
import {
  bytes,
  defineCommand,
  defineEvent,
  defineQuery,
  eventOf,
  json,
  notFound,
  rawOutput,
  ServiceError,
  type Call,
  type EventAudience,
  type Log,
  type SerializedEvent,
} from '@receipts/kernel';
import type { ServeOptions } from '../src';

/** The contracts of a test service. Each call uses its own queues, so that tests can share a broker. */
export function sumsContracts(owner = `sums-${randomBytes(4).toString('hex')}`) {
  const about = { summary: 'A sum', description: 'For tests.' };
  return {
    owner,
    contracts: {
      add: defineCommand({
        name: `${owner}.add-numbers`,
        ...about,
        body: json(z.object({ a: z.number(), b: z.number() })),
        output: z.object({ sum: z.number() }),
        meta: z.object({ created: z.boolean() }),
      }),
      keep: defineCommand(
        { name: `${owner}.keep-number`, ...about, body: json(z.object({ n: z.number() })) },
        { oneWay: () => true },
      ),
      find: defineQuery({
        name: `${owner}.find-sum`,
        ...about,
        params: z.object({ id: z.string() }),
        output: z.object({ id: z.string() }),
      }),
      echo: defineCommand({ name: `${owner}.echo-bytes`, ...about, body: bytes('body'), output: rawOutput }),
    },
  };
}

/** The behaviour of the owner of the sums, unless a test configures otherwise. */
export const sumsHandlers: ServeOptions<ReturnType<typeof sumsContracts>['contracts']>['handlers'] = {
  add: async ({ body }) => ({ body: { sum: body.a + body.b }, meta: { created: true } }),
  keep: async () => ({}),
  find: async ({ params }) => {
    if (params.id === 'none') throw new ServiceError(notFound, { extra: { id: 'none' }, internal: 'secret' });
    if (params.id === 'broken') throw new Error('a secret');
    return { body: { id: params.id } };
  },
  echo: async ({ body }) => ({ body }),
};

export function callOf(timeoutMs = 30_000): Call {
  return clientCall('r-1', {
    deadline: Date.now() + timeoutMs,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
}

export function thingHappened<T extends `${string}.${string}`>(
  type: T,
  audience: EventAudience = 'integrators',
) {
  const about = { owner: 'test', collection: 'things', summary: 'A thing', description: 'For tests.' };
  return defineEvent({ type, audience, ...about, data: z.object({ n: z.number() }) });
}

/** Events of one subject, numbered from 0. */
export function eventsOf(
  contract: ReturnType<typeof thingHappened>,
  count: number,
  retailer = 'r-1',
): SerializedEvent[] {
  const call = { ...callOf(), retailer };
  return Array.from({ length: count }, (_, n) =>
    eventOf(contract, { subject: 'thing', sequence: n, data: { n } }, call, new Date()),
  );
}

/** Collects log lines for assertions and failure reports. */
export function quietLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const line = (level: string) => (msg: string, fields?: object) => {
    lines.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`);
  };
  return { lines, debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
