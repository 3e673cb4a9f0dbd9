import { integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { browserPages } from './browser-pages';

const { page, form } = browserPages('Operations', 'the operations pages');

const none = z.object({});
const typed = (max: number) => z.string().max(max);
const asked = (max: number) => text({ min: 0, max }).optional();
const csrf = typed(100);

const signInPerMinute = 60;
const workPerMinute = 600;

const operationsRoot = page({
  name: 'operations-root',
  summary: 'entrance',
  path: '/operator',
  query: none,
  params: none,
});

const operationsOverview = page({
  name: 'operations-overview',
  summary: 'services',
  path: '/operator/',
  query: none,
  params: none,
});

const operationsSignInPage = page({
  name: 'operations-sign-in-page',
  summary: 'sign in',
  path: '/operator/sign-in',
  query: z.object({ next: asked(200), done: asked(40) }),
  params: none,
});

const operationsSignIn = form({
  name: 'operations-sign-in',
  summary: 'sign in',
  path: '/operator/sign-in',
  params: none,
  body: z.object({ token: typed(1000), operator: typed(100), next: typed(200).optional() }),
  perMinute: signInPerMinute,
});

const operationsSignOut = form({
  name: 'operations-sign-out',
  summary: 'sign out',
  path: '/operator/sign-out',
  params: none,
  body: z.object({ csrf, everywhere: typed(10).optional() }),
  perMinute: workPerMinute,
});

const operationsQueues = page({
  name: 'operations-queues',
  summary: 'queues',
  path: '/operator/pages/queues',
  query: none,
  params: none,
});

const operationsDeadLetters = page({
  name: 'operations-dead-letters',
  summary: 'dead letters',
  path: '/operator/pages/dead-letters',
  query: z.object({
    queue: asked(255),
    older: asked(255),
    done: asked(40),
    messages: integer({ min: 0, max: 1_000_000 }).optional(),
  }),
  params: none,
});

const operationsDeadLetter = page({
  name: 'operations-dead-letter',
  summary: 'a dead letter',
  path: '/operator/pages/dead-letters/{id}',
  query: z.object({ queue: text({ max: 255 }) }),
  params: z.object({ id: z.string().max(255) }),
});

const operationsDecideDeadLetters = form({
  name: 'operations-decide-dead-letters',
  summary: 'replay or discard dead letters',
  path: '/operator/pages/dead-letters',
  params: none,
  body: z.object({
    csrf,
    queue: typed(255),
    action: z.enum(['replay', 'discard', 'replay-all', 'discard-all']),
    ids: z.union([typed(255), z.array(typed(255)).max(1_000)]).optional(),
    /** Set by the confirmation page. */
    confirmed: typed(10)
      .optional()
      .meta({ description: 'Present if the operator has confirmed the action.' }),
  }),
  perMinute: workPerMinute,
});

const operationsPackets = page({
  name: 'operations-packets',
  summary: 'failed packets',
  path: '/operator/pages/packets',
  query: z.object({ retailer: asked(40), reason: asked(40) }),
  params: none,
});

const packetParams = z.object({ retailer: z.string().max(100), packet: z.string().max(64) });

const operationsPacket = page({
  name: 'operations-packet',
  summary: 'a failed packet',
  path: '/operator/pages/packets/{retailer}/{packet}',
  query: none,
  params: packetParams,
});

const operationsTryPacket = form({
  name: 'operations-try-packet',
  summary: 'try a mapping on a packet',
  path: '/operator/pages/packets/{retailer}/{packet}',
  params: packetParams,
  body: z.object({ csrf, mapping: typed(100).optional() }),
  perMinute: workPerMinute,
});

const operationsWebhooks = page({
  name: 'operations-webhooks',
  summary: 'webhook endpoints in trouble',
  path: '/operator/pages/webhooks',
  query: none,
  params: none,
});

const operationsDeliveries = page({
  name: 'operations-deliveries',
  summary: 'deliveries that wait',
  path: '/operator/pages/deliveries',
  query: none,
  params: none,
});

const operationsAudit = page({
  name: 'operations-audit',
  summary: 'audit log',
  path: '/operator/pages/audit',
  query: z.object({ retailer: asked(40), older: asked(64) }),
  params: none,
});

/**
 * The operations pages show the responses of the endpoints under `/operator` as HTML. A user signs in with the
 * operator's token, which starts a session.
 */
export const operationsContracts = {
  operationsRoot,
  operationsOverview,
  operationsSignInPage,
  operationsSignIn,
  operationsSignOut,
  operationsQueues,
  operationsDeadLetters,
  operationsDeadLetter,
  operationsDecideDeadLetters,
  operationsPackets,
  operationsPacket,
  operationsTryPacket,
  operationsWebhooks,
  operationsDeliveries,
  operationsAudit,
};
