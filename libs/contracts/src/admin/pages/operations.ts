import { z } from 'zod';
import { queueParameter } from '../../shared/fields';
import { queueNotFound } from '../dead-letter';
import { integer, text } from '../../shared/query-parameters';
import {
  operationsPages,
  csrf,
  doneParameter,
  identityProviderAnswer,
  nextPage,
  nextPageParameter,
} from './browser-pages';

/**
 * The operations pages show the responses of the endpoints under `/operator` as HTML. Signing in with the operator's
 * token starts a session.
 */
const { page, form, unknownPage } = operationsPages;

const filter = (max: number, description: string, example: string) =>
  text({ min: 0, max, description, example }).optional();
const retailerFilter = filter(40, 'Only show entries of this retailer.', 'demo');
const olderEntries = (max: number) =>
  filter(max, 'The cursor of the next page of entries.', '6a1f3c2b9d4e5f60718293a4');

const signInPerMinute = 60;

export const operationsOverview = page({
  name: 'operations-overview',
  summary: 'services',
  path: '/operator',
  trailingSlash: true,
});

export const operationsUnknown = unknownPage('operations-unknown', '/operator/pages');

export const operationsSignInPage = page({
  name: 'operations-sign-in-page',
  summary: 'sign in',
  path: '/operator/sign-in',
  query: z.object({ next: nextPageParameter, done: doneParameter }),
});

export const operationsSignIn = form({
  name: 'operations-sign-in',
  summary: 'sign in',
  path: '/operator/sign-in',
  body: z.object({
    token: z.string().max(1000).describe('The token of the operator.'),
    next: nextPage,
  }),
  perMinute: signInPerMinute,
});

export const operationsOidc = page({
  name: 'operations-oidc',
  summary: 'sign in with an identity provider',
  path: '/operator/oidc',
  errors: [{ status: 404, code: 'not_found', description: 'there is no identity provider for operators' }],
});

export const operationsOidcCallback = page({
  name: 'operations-oidc-callback',
  summary: 'the answer of an identity provider',
  path: '/operator/oidc/callback',
  ignoresUnknownQuery: true,
  query: identityProviderAnswer,
  errors: [{ status: 403, code: 'permission_denied', description: 'the sign-in was not confirmed' }],
});

export const operationsSignOut = form({
  name: 'operations-sign-out',
  summary: 'sign out',
  path: '/operator/sign-out',
  body: z.object({
    csrf,
    everywhere: z
      .string()
      .max(10)
      .optional()
      .describe('Present to end all sessions of the operations pages, not only this one.'),
  }),
});

export const operationsQueues = page({
  name: 'operations-queues',
  summary: 'queues',
  path: '/operator/pages/queues',
});

export const operationsQueue = page({
  name: 'operations-queue',
  summary: 'a queue',
  path: '/operator/pages/queues/{queue}',
  params: z.object({
    queue: z
      .string()
      .max(255)
      .meta({ description: 'The name of the queue.', examples: ['ingest.commands'] }),
  }),
  errors: [queueNotFound],
});

export const operationsDeadLetters = page({
  name: 'operations-dead-letters',
  summary: 'dead letters',
  path: '/operator/pages/dead-letters',
  query: z.object({
    queue: filter(255, 'Only show messages that failed in this queue.', 'ingest.commands'),
    older: olderEntries(255),
    done: doneParameter,
    messages: integer({
      min: 0,
      max: 1_000_000,
      description: 'The number of messages to which the last action applied.',
      example: 3,
    }).optional(),
  }),
});

export const operationsDeadLetter = page({
  name: 'operations-dead-letter',
  summary: 'a dead letter',
  path: '/operator/pages/dead-letters/{id}',
  query: z.object({ queue: queueParameter }),
  params: z.object({
    id: z
      .string()
      .max(255)
      .meta({ description: 'The id of the message.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
  }),
});

export const operationsDecideDeadLetters = form({
  name: 'operations-decide-dead-letters',
  summary: 'replay or discard dead letters',
  path: '/operator/pages/dead-letters',
  body: z.object({
    csrf,
    queue: z.string().max(255).describe('The queue in which the messages failed.'),
    action: z
      .enum(['replay', 'discard', 'replay-all', 'discard-all'])
      .describe('The action, for the selected messages or for all messages of the queue.'),
    ids: z
      .union([z.string().max(255), z.array(z.string().max(255)).max(1_000)])
      .optional()
      .describe('The ids of the selected messages.'),
    /** Set by the confirmation page. */
    confirmed: z.string().max(10).optional().describe('Present if the operator has confirmed the action.'),
  }),
});

export const operationsPackets = page({
  name: 'operations-packets',
  summary: 'failed packets',
  path: '/operator/pages/packets',
  query: z.object({
    retailer: retailerFilter,
    reason: filter(40, 'Only show packets that failed for this reason.', 'no_mapping'),
  }),
});

const packetParams = z.object({
  retailer: z
    .string()
    .max(100)
    .meta({ description: 'The id of the retailer that owns the packet.', examples: ['demo'] }),
  packet: z
    .string()
    .max(64)
    .meta({ description: 'The id of the packet to show.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});

export const operationsPacket = page({
  name: 'operations-packet',
  summary: 'a failed packet',
  path: '/operator/pages/packets/{retailer}/{packet}',
  params: packetParams,
});

export const operationsDryRunPacket = form({
  name: 'operations-dry-run-packet',
  summary: 'try a mapping on a packet',
  path: '/operator/pages/packets/{retailer}/{packet}',
  params: packetParams,
  body: z.object({
    csrf,
    mapping: z
      .string()
      .max(100)
      .optional()
      .describe('The id of the mapping to try. If it is missing, the mapping is chosen as for any packet.'),
  }),
});

export const operationsWebhooks = page({
  name: 'operations-webhooks',
  summary: 'failing webhook endpoints',
  path: '/operator/pages/webhooks',
});

export const operationsDeliveries = page({
  name: 'operations-deliveries',
  summary: 'pending deliveries',
  path: '/operator/pages/deliveries',
});

export const operationsAudit = page({
  name: 'operations-audit',
  summary: 'audit log',
  path: '/operator/pages/audit',
  query: z.object({ retailer: retailerFilter, older: olderEntries(64) }),
});
