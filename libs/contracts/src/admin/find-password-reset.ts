import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { portalLanguages } from '../shared/portal-languages';

/** The link is a secret, so it is not part of an event. The sender of the e-mail reads it with this query. */
export const findPasswordReset = defineQuery({
  name: 'admin.find-password-reset',
  summary: 'Get the content of a password reset e-mail',
  description: 'Internal. Null if the reset was replaced by a later reset, or has expired.',
  body: z.object({ reset_id: z.string().max(100) }),
  output: z.object({
    reset: z
      .object({
        email: z.string(),
        link: z.string(),
        expires: timestampField,
        /** The language in which the user requested the link, otherwise that of the retailer. */
        language: z.enum(portalLanguages),
        retailer: z.object({ id: z.string(), name: z.string() }),
        /** True if the user has never had a password. */
        is_invitation: z.boolean(),
      })
      .nullable(),
  }),
});
