import { check, ServiceError, type Call } from '@receipts/kernel';
import type { z } from 'zod';
import { refusalIn } from '../pages/refusal';
import { redirectTo, type PageReply } from '../pages/reply';
import { checkForm, checkSameSite } from '../pages/same-site';
import type { SentHeaders } from './language-switch';
import type { Portal } from './open-portal';
import { checkPermission, signedIn, type SignedIn } from './signed-in';

interface FormInput {
  readonly headers: Parameters<typeof checkSameSite>[0] & SentHeaders;
  readonly body: { readonly csrf: string };
}

interface FormOptions {
  readonly permission: string;
  readonly act: (who: SignedIn) => Promise<PageReply>;
  /** The page that explains why the form was rejected. */
  readonly refused: (who: SignedIn, fault: ServiceError) => Promise<PageReply>;
}

/**
 * The checks that all forms of signed-in users share.
 * @throws ServiceError 403 for a form from another site or session, or if the permission is missing
 */
export async function portalForm(
  deps: Portal,
  { headers, body }: FormInput,
  call: Call,
  { permission, act, refused }: FormOptions,
): Promise<PageReply> {
  checkSameSite(headers);
  const who = await signedIn(deps, headers, call);
  if (!who) return redirectTo('/portal/sign-in');
  checkForm(who.session, body.csrf);
  checkPermission(who, permission);
  try {
    return await act(who);
  } catch (error) {
    return refused(who, refusalIn(error));
  }
}

/**
 * Validates a body as the API does.
 * @throws ServiceError 422 with an error for each invalid field
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  try {
    return check(schema, value);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { description, errors = [] } = error;
    throw new ServiceError({ status: 422, description }, { errors: [...errors] });
  }
}
