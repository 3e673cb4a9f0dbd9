import { json, wording } from '@receipts/kernel';
import { z } from 'zod';
import { characters } from '../shared/characters';
import { prettyMember } from '../shared/fields';
import { postedNotifications } from './notifications';
import { portalStoresField } from './portal-stores';
import { portalUserStatuses } from '../shared/portal-user-statuses';

const localPart = "[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~-]{1,64}";
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';

/**
 * A single address with at least two domain labels, without quoting, comments or spaces (the dot-atom of RFC 5322, RFC
 * 6532).
 */
export const portalEmailPattern = new RegExp(
  `^(?=.{1,64}@)(?=.{3,254}$)${localPart}(?:\\.${localPart})*@${label}(?:\\.${label})+$`,
  'u',
);

/** The normalized form of an address, by which users are identified. */
export function portalEmailOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export const portalUserParams = z.object({
  email: z
    .string()
    .max(254)
    .refine((text) => portalEmailPattern.test(text), {
      error: wording.email,
      params: { code: 'invalid_format' },
    })
    .meta({
      // Without the pattern, which tools that do not compile it with the flag `u` misread.
      format: 'idn-email',
      description:
        'The e-mail address of the user, compared without regard to case, and unique across all retailers.',
      examples: ['jo@demo.example'],
    }),
});

export const invalidPortalUser = {
  status: 400,
  code: 'invalid_portal_user',
  description: 'the portal user is invalid',
};

export const portalUserNotManageable = {
  status: 404,
  code: 'not_found',
  description: 'no portal user with this e-mail address can be managed here',
};

export const strongerGroup = {
  status: 403,
  code: 'permission_denied',
  description: 'permission denied: the group holds permissions that the caller does not hold',
};

/** A caller who is restricted to stores manages only users who are restricted to some of these stores. */
export const strongerUser = {
  status: 403,
  code: 'permission_denied',
  description: 'permission denied: the user may see stores that the caller may not see',
};

export const resetLimited = {
  status: 429,
  code: 'rate_limited',
  description: 'too many password resets were requested for this address, try again later',
};

export const postedPortalUser = z.strictObject({
  pretty: prettyMember,
  group: characters(0, 100).meta({
    description: 'One of the groups of the retailer setting `portal_groups`. An empty string means no group.',
  }),
  status: z.enum(portalUserStatuses).describe('Whether the user can sign in (`active`) or not (`inactive`).'),
  stores: portalStoresField
    .optional()
    .describe(
      'The references of the stores whose receipts the user may see, each a `reference` or an `external_reference`; `null` for all stores. A group can restrict its users further, see the retailer setting `portal_stores`. If missing, an existing user keeps its stores, and a new user may see all.',
    ),
  notifications: postedNotifications
    .nullable()
    .optional()
    .describe(
      'The e-mails about the business that the user gets; `null` for none. If missing, an existing user keeps its choice, and a new user gets none. Users change their choice in the portal.',
    ),
  send_password_reset_on_create: z
    .boolean()
    .optional()
    .describe(
      'Whether a new user receives an e-mail with a link to set a password. It has no effect on existing users. Defaults to `true`.',
    ),
});
export type PostedPortalUser = z.output<typeof postedPortalUser>;

/** The interface requires 400, not 422, for an invalid payload. */
export const portalUserBody = { ...json(postedPortalUser), refusal: invalidPortalUser };
