import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  bytes,
  defineCommand,
  defineEvent,
  defineQuery,
  eventOf,
  json,
  newId,
  rawOutput,
  type Call,
  type EventAudience,
  type PrintedEvent,
} from '@receipts/kernel';
import type { Log } from '../src';

/** The contracts of a test service. Each call uses queues of its own, so that tests can share a broker. */
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
      keep: defineCommand({
        name: `${owner}.keep-number`,
        ...about,
        body: json(z.object({ n: z.number() })),
      }),
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

export function callOf(timeoutMs = 5_000): Call {
  const id = newId();
  return {
    id,
    requestId: id,
    retailer: 'r-1',
    principal: { kind: 'service', id: 'test' },
    deadline: Date.now() + timeoutMs,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    at: Date.now(),
  };
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
): PrintedEvent[] {
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
