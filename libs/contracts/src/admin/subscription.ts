import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { retailerParams } from './retailer';

const typesMax = 50;
const globLengthMax = 100;

const nameField = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .meta({ description: 'Tells the subscriptions of a retailer apart.', examples: ['warehouse'] });

export const postedSubscription = z.strictObject({
  name: nameField,
  types: z
    .array(z.string().min(1).max(globLengthMax))
    .min(1)
    .max(typesMax)
    .optional()
    .meta({
      description: 'Types of events, or globs: `*` stands for any characters. All events unless given.',
      examples: [['receipt.*', 'delivery.failed']],
    }),
});

export const subscription = z.object({
  name: z.string(),
  types: z.array(z.string()),
  routing_keys: z.array(z.string()).meta({ description: 'What the queue is bound with.' }),
  queue: z.string().meta({ description: 'The queue to consume from. It is there already: declare nothing.' }),
  url: z.string().meta({
    description: 'The address of the broker, with its virtual host.',
    examples: ['amqps://broker.example:5671/'],
  }),
  user: z.string().meta({ description: 'May read this queue and do nothing else.' }),
  status: z.enum(['ready', 'incomplete']).meta({
    description: '`incomplete` when making it was interrupted: post it again, or delete it.',
  }),
  created_timestamp: timestampField,
});

export const subscriptionParams = retailerParams.extend({ name: z.string().max(100) });

export const subscriptionExists = {
  status: 409,
  code: 'subscription_exists',
  description: 'the retailer has a subscription of this name',
};
export const subscriptionNotFound = {
  status: 404,
  code: 'not_found',
  description: 'the retailer has no such subscription',
};
export const tooManySubscriptions = {
  status: 422,
  code: 'too_many',
  description: 'a retailer has at most 20 subscriptions',
};
export const brokerManagementMissing = {
  status: 501,
  code: 'broker_management_missing',
  description:
    "RabbitMQ's management interface is not configured: set BROKER_MANAGEMENT_URL (http://user:password@host:15672) and restart",
};
/** An operation needs about a dozen requests to the broker's management interface. */
export const subscriptionTimeoutMs = 20_000;
