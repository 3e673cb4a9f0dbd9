import type { ValidationDetails } from '@receipts/contracts';
import { isRole, printEmailAddress, type EmailAddress } from './email-address';

/** The result of DNS queries about a domain. */
export type MailRoute =
  /** The domain has mail servers, or at least an address (RFC 5321, section 5.1). */
  | 'open'
  /** The domain does not exist, has nothing that could accept mail, or declares that it accepts none (RFC 7505). */
  | 'none'
  /** No response in time. */
  | 'timeout'
  /** The name servers failed. */
  | 'failed';

/** Facts about a domain, from lists of domains. */
export interface DomainFacts {
  readonly disposable: boolean;
  readonly free: boolean;
  /** The well-known domain that was probably meant. */
  readonly intended: string | null;
}

const blank = { accept_all: false, message: null, success: true } as const;

/**
 * The result for a text that is not an e-mail address. If it is an address with spaces around it, the address is
 * suggested.
 */
export function notAnAddress(text: string, meant: EmailAddress | undefined): ValidationDetails {
  const at = text.lastIndexOf('@');
  return {
    ...blank,
    did_you_mean: meant ? printEmailAddress(meant) : null,
    disposable: false,
    domain: at < 0 ? '' : text.slice(at + 1),
    email: text,
    free: false,
    reason: 'invalid_email',
    result: 'undeliverable',
    role: false,
    sendex: 0,
    user: at < 0 ? text : text.slice(0, at),
  };
}

type Assessment = Pick<ValidationDetails, 'result' | 'reason' | 'sendex'>;

function assess(route: MailRoute, isDoubtful: boolean): Assessment {
  switch (route) {
    case 'none':
      return { result: 'undeliverable', reason: 'invalid_domain', sendex: 0 };
    case 'timeout':
      return { result: 'unknown', reason: 'timeout', sendex: 0 };
    case 'failed':
      return { result: 'unknown', reason: 'no_connect', sendex: 0 };
    case 'open':
      return isDoubtful
        ? { result: 'risky', reason: 'low_quality', sendex: 0 }
        : { result: 'deliverable', reason: 'accepted_email', sendex: 1 };
  }
}

/** Everything that is known about an address without sending e-mail to it. */
export function assessAddress(
  address: EmailAddress,
  { disposable, free, intended }: DomainFacts,
  route: MailRoute,
): ValidationDetails {
  const { user, domain } = address;
  const role = isRole(address);
  return {
    ...blank,
    ...assess(route, disposable || role),
    did_you_mean: intended === null ? null : printEmailAddress({ user, domain: intended }),
    disposable,
    domain,
    email: printEmailAddress(address),
    free,
    role,
    user,
  };
}

/** Only addresses that certainly do not work are invalid, so that no consumer is rejected on mere suspicion. */
export function statusOf({ result }: ValidationDetails): 'valid' | 'invalid' {
  return result === 'undeliverable' ? 'invalid' : 'valid';
}
