import { z } from 'zod';
import { integer, text } from '../../shared/query-parameters';
import { notificationTypes } from '../notifications';
import { portalUserStatuses } from '../../shared/portal-user-statuses';
import { csrf, doneParameter, portalPages } from './browser-pages';

/** The pages on which a retailer manages the users of the portal and their permissions. */
const { page, form } = portalPages;

const params = z.object({
  id: text({ max: 15, description: 'The id of the user that the page shows.', example: '7' }),
});
const storeChoice = {
  scope: z.enum(['all', 'some']).optional().describe('Whether all stores are visible, or some of them.'),
  stores: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('The references of the visible stores.'),
};
const group = z.string().max(100).describe('The group of the user; empty for none.');

export const portalUsers = page({
  name: 'portal-users',
  summary: 'users and groups',
  path: '/portal/users',
  query: z.object({
    older: integer({
      min: 1,
      max: 1_000_000_000,
      description: 'Only show users with a smaller id.',
      example: 120,
    }).optional(),
    done: doneParameter,
  }),
});

export const portalCreateUser = form({
  name: 'portal-create-user',
  summary: 'invite a user',
  path: '/portal/users',
  body: z.object({
    csrf,
    email: z.string().max(254).describe('The e-mail address with which the user signs in.'),
    group,
    ...storeChoice,
  }),
});

export const portalUser = page({
  name: 'portal-user',
  summary: 'a user',
  path: '/portal/users/{id}',
  params,
  query: z.object({ done: doneParameter }),
});

export const portalUserForm = form({
  name: 'portal-user-form',
  summary: 'change a user',
  path: '/portal/users/{id}',
  params,
  body: z.object({
    csrf,
    action: z
      .enum(['save', 'reset', 'forget'])
      .describe(
        'Whether to save the user, to send a link for choosing a password, or to remove the second factor of a user who has lost it.',
      ),
    group: group.optional(),
    status: z.enum(portalUserStatuses).optional().describe('Whether the user can sign in.'),
    ...storeChoice,
  }),
});

export const portalGroup = page({
  name: 'portal-group',
  summary: 'a group with its permissions',
  path: '/portal/groups',
  query: z.object({
    group: text({
      max: 100,
      description: 'The name of the group; missing for a new one.',
      example: 'clerks',
    }).optional(),
  }),
});

export const portalGroupForm = form({
  name: 'portal-group-form',
  summary: 'save or delete a group',
  path: '/portal/groups',
  body: z.object({
    csrf,
    action: z
      .enum(['create', 'save', 'delete'])
      .describe('Whether to create the group, save its permissions, or delete it.'),
    group: z.string().max(100).describe('The name of the group.'),
    permissions: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('The permissions of the group.'),
    ...storeChoice,
  }),
});

const notificationType = z.enum(notificationTypes);

export const portalNotifications = page({
  name: 'portal-notifications',
  summary: 'your e-mails',
  path: '/portal/notifications',
  query: z.object({ done: doneParameter }),
});

export const portalNotificationsForm = form({
  name: 'portal-notifications-form',
  summary: 'choose your e-mails',
  path: '/portal/notifications',
  body: z.object({
    csrf,
    types: z
      .union([notificationType, z.array(notificationType)])
      .optional()
      .describe('The e-mails that the user wants.'),
    percent: z
      .string()
      .max(10)
      .optional()
      .describe('The value of the field for the share of failing receipts.'),
    ...storeChoice,
  }),
});

const unsubscribing = {
  path: '/portal/unsubscribe/{token}',
  params: z.object({
    token: text({
      max: 500,
      description: 'The token from the link in an e-mail.',
      example: 'v1.key.c2VhbGVk',
    }),
  }),
  errors: [{ status: 404, code: 'not_found', description: 'this link no longer works' }],
};

export const portalUnsubscribePage = page({
  name: 'portal-unsubscribe-page',
  summary: 'stop your e-mails',
  ...unsubscribing,
});

/** Mail programs send the form without opening the page (RFC 8058), so it needs neither a session nor an origin. */
export const portalUnsubscribe = form({
  name: 'portal-unsubscribe',
  summary: 'stop your e-mails with one click',
  ...unsubscribing,
  body: z.object({
    'List-Unsubscribe': z.string().max(100).optional().describe('Sent by mail programs: `One-Click`.'),
  }),
});
