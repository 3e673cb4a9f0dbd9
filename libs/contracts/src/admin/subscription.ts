import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { retailerParams } from './retailer';

const typesMax = 50;
const globLengthMax = 100;

const nameField = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .meta({
    description: 'The name of the subscription, unique per retailer: lower-case letters, digits and hyphens.',
    examples: ['warehouse'],
  });

export const postedSubscription = z.strictObject({
  name: nameField,
  types: z
    .array(z.string().min(1).max(globLengthMax))
    .min(1)
    .max(typesMax)
    .optional()
    .meta({
      description:
        'The event types to receive, or globs in which `*` matches any characters. Defaults to all events.',
      examples: [['receipt.*', 'delivery.failed']],
    }),
});

export const subscription = z.object({
  name: z.string().describe('The name of the subscription, unique per retailer.'),
  types: z.array(z.string()).describe('The event types or globs that the queue receives.'),
  routing_keys: z.array(z.string()).describe('The routing keys with which the queue is bound.'),
  queue: z.string().describe('The name of the queue to consume from. It exists already; do not declare it.'),
  url: z.string().meta({
    description: 'The URL of the broker, with its virtual host and without credentials.',
    examples: ['amqps://broker.example:5671/'],
  }),
  user: z.string().describe('The RabbitMQ user that can consume from the queue.'),
  status: z
    .enum(['ready', 'incomplete'])
    .describe('`incomplete` if the creation was interrupted: post the subscription again, or delete it.'),
  created_timestamp: timestampField.describe('When the subscription was created.'),
});

export const subscriptionParams = retailerParams.extend({
  name: z
    .string()
    .max(100)
    .meta({ description: 'The name of the subscription.', examples: ['warehouse'] }),
});

export const subscriptionExists = {
  status: 409,
  code: 'subscription_exists',
  description: 'a subscription with this name already exists',
};
export const subscriptionNotFound = {
  status: 404,
  code: 'not_found',
  description: 'subscription not found',
};
export const tooManySubscriptions = {
  status: 422,
  code: 'too_many',
  description: 'a retailer can have at most 20 subscriptions',
};
export const brokerManagementMissing = {
  status: 501,
  code: 'broker_management_missing',
  description:
    "RabbitMQ's management interface is not configured: set BROKER_MANAGEMENT_URL (http://user:password@host:15672) and restart",
};
/** Each operation needs about a dozen requests to the broker's management interface. */
export const subscriptionTimeoutMs = 20_000;
