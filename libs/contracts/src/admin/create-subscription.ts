import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { retailerNotFound, retailerParams } from './retailer';
import {
  brokerManagementMissing,
  postedSubscription,
  subscription,
  subscriptionExists,
  subscriptionTimeoutMs,
  tooManySubscriptions,
} from './subscription';

/** Lets an integrator consume a retailer's events from the broker, with a queue and a user of its own. */
export const createSubscription = defineCommand(
  {
    name: 'admin.create-subscription',
    summary: "Give a retailer's integrator a queue of events",
    description:
      'Makes a durable queue that gets the events of this retailer and of these types from now on, and a user who may consume from it and ' +
      'do nothing else. The password is shown this once. The queue keeps events for 30 days and at most 1 GiB of them (a setting), the oldest go first; ' +
      'whoever was away longer reads them from `GET /events`, as does a consumer whose broker was reset: its queue is made again, empty. The feed keeps the events of ' +
      'retailers that read it, so the consumer calls `GET /events` once before it begins, keeps `_links.next`, and follows it every day. 501 if the management interface of the broker is not configured.',
    http: {
      method: 'POST',
      path: '/operator/retailers/{id}/subscriptions',
      access: 'operator',
      success: 201,
    },
    params: retailerParams,
    body: json(postedSubscription),
    output: subscription.extend({
      password: z
        .string()
        .nullable()
        .meta({ description: 'Never shown again: null when the answer is a repeated one.' }),
    }),
    meta: z.object({ retailer: z.string(), name: z.string() }),
    errors: [retailerNotFound, subscriptionExists, tooManySubscriptions, brokerManagementMissing],
    timeoutMs: subscriptionTimeoutMs,
    examples: { request: { name: 'warehouse', types: ['receipt.*', 'store.updated'] } },
  },
  {
    answer: ({ retailer, name }) => ({
      headers: { location: `/operator/retailers/${retailer}/subscriptions/${name}` },
    }),
  },
);
