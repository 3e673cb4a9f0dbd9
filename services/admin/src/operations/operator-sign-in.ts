import { z } from 'zod';

/** How operators sign in to the operations pages without a token. */
export const operatorSignIn = z.strictObject({
  identity_provider: z.string().regex(/^[a-z0-9-]{1,40}$/),
  emails: z.array(z.email().transform((email) => email.toLowerCase())).min(1),
});

export type OperatorSignIn = z.output<typeof operatorSignIn>;

/**
 * The audit log names an operator by the name of a token or by an address. If one of them were both, it would show two
 * persons as one.
 * @returns the faults of the settings
 */
export function operatorConflicts({
  OPERATOR_TOKENS: tokens,
  OPERATOR_SIGN_IN: signIn,
}: {
  readonly OPERATOR_TOKENS: Readonly<Record<string, string>>;
  readonly OPERATOR_SIGN_IN: OperatorSignIn | undefined;
}): readonly string[] {
  const isShared = Object.keys(tokens).some((name) => signIn?.emails.includes(name.toLowerCase()));
  const fault =
    'OPERATOR_TOKENS must not have the name of an address in OPERATOR_SIGN_IN: an operator signs in with one of the two';
  return isShared ? [fault] : [];
}
