import type { Portal } from '../open-portal';
import type { SecondFactorDocument } from '../storage/second-factors';
import { periodOf, recoveryHash } from './totp';

/** Whether a code of the authenticator or a recovery code is right. It then cannot be used again. */
export async function isCodeRight(
  { secondFactors, sealer, now }: Pick<Portal, 'secondFactors' | 'sealer' | 'now'>,
  factor: SecondFactorDocument,
  code: string,
  signal: AbortSignal,
): Promise<boolean> {
  const period = periodOf(sealer.open(factor.secret), code, now());
  return period === undefined
    ? secondFactors.useRecovery(factor._id, recoveryHash(code), signal)
    : secondFactors.usePeriod(factor._id, period, signal);
}
