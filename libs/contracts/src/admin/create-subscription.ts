import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { secretToldOnce } from './client';
import { retailerNotFound, retailerParams } from './retailer';
import {
  brokerManagementMissing,
  postedSubscription,
  subscription,
  subscriptionExists,
  subscriptionTimeoutMs,
  tooManySubscriptions,
} from './subscription';

/** Allows an integrator to consume a retailer's events from the broker, with a separate queue and user. */
export const createSubscription = defineCommand(
  {
    name: 'admin.create-subscription',
    summary: "Create a queue for a retailer's events",
    description:
      "Creates a durable queue, which receives this retailer's events from now on, and a RabbitMQ user that can only consume from this queue. " +
      'The password is returned only once.\n\n' +
      'The queue retains events for 30 days, up to 1 GiB in total; the oldest events are dropped first. A consumer that was offline for longer reads the missing events from `GET /events`. The same applies after a reset of the broker, because the queue is then created again without its messages. ' +
      'The feed records events only for retailers that read it. Therefore, call `GET /events` once before you start to consume, store `_links.next`, and follow it at least once a day.\n\n' +
      'If the management interface of the broker is not configured, the response is 501.',
    http: {
      method: 'POST',
      path: '/operator/retailers/{id}/subscriptions',
      access: 'operator',
      success: 201,
    },
    params: retailerParams,
    body: json(postedSubscription),
    output: subscription.extend({
      password: secretToldOnce.describe(
        'The password of `user`, returned only once; `null` if the request is a retry with the same `Idempotency-Key`.',
      ),
    }),
    meta: z.object({ retailer: z.string(), name: z.string() }),
    errors: [retailerNotFound, subscriptionExists, tooManySubscriptions, brokerManagementMissing],
    timeoutMs: subscriptionTimeoutMs,
    examples: { request: { name: 'warehouse', types: ['receipt.*', 'store.updated'] } },
  },
  {
    response: ({ retailer, name }) => ({
      headers: { location: `/operator/retailers/${retailer}/subscriptions/${name}` },
    }),
  },
);
