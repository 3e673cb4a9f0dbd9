import { validationReasons, validationResults, type ValidationDetails } from '@receipts/contracts';
import { z } from 'zod';
import { boundedBytes } from '@receipts/host';
import { type Log } from '@receipts/kernel';
import { readEmailAddress } from '../domain/email-address';
import { assessAddress, notAnAddress } from '../domain/validation';
import { factsOf } from './mail-domains';
import type { ValidationProvider } from './provider';

export interface HttpProviderOptions {
  /** The URL of the verification API, such as `https://api.kickbox.com/v2/verify`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly log: Log;
}

const answerBytesMax = 64 * 1024;
const flag = z.boolean().catch(false);
const text = z.string().nullable().catch(null);

/** The response of a Kickbox-compatible API. Members that are missing or invalid are replaced by local results. */
const answer = z.object({
  result: z.enum(validationResults),
  reason: z.enum(validationReasons).catch('unexpected_error'),
  role: flag,
  free: flag,
  disposable: flag,
  accept_all: flag,
  did_you_mean: text,
  sendex: z.number().min(0).max(1).catch(0),
  email: text,
  user: text,
  domain: text,
  success: z.boolean().catch(true),
  message: text,
});

async function read(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`the provider returned ${response.status}`);
  return JSON.parse((await boundedBytes(response.body ?? [], answerBytesMax)).toString('utf8'));
}

/** Uses a Kickbox-compatible API, which contacts mail servers. Texts that are not addresses are not sent to it. */
export function httpProvider({ url, apiKey, log }: HttpProviderOptions): ValidationProvider {
  const unknown = (identifier: string, reason: 'timeout' | 'unexpected_error'): ValidationDetails => {
    const address = readEmailAddress(identifier);
    const details = address
      ? assessAddress(address, factsOf(address.domain), 'failed')
      : notAnAddress(identifier, undefined);
    return { ...details, reason, result: 'unknown', success: false, message: 'the provider did not respond' };
  };
  return {
    name: 'http',
    async validate(identifier, signal) {
      const address = readEmailAddress(identifier);
      if (!address) return notAnAddress(identifier, readEmailAddress(identifier.trim()));
      const target = new URL(url);
      target.searchParams.set('email', `${address.user}@${address.domain}`);
      if (apiKey !== undefined) target.searchParams.set('apikey', apiKey);
      try {
        const response = await fetch(target, { signal, redirect: 'error' });
        const reply = answer.parse(await read(response));
        const { user, domain } = address;
        return {
          ...reply,
          sendex: Math.round(reply.sendex),
          email: reply.email ?? `${user}@${domain}`,
          user: reply.user ?? user,
          domain: reply.domain ?? domain,
        };
      } catch (error) {
        if (signal.aborted) return unknown(identifier, 'timeout');
        log.warn('an address could not be validated', { error });
        return unknown(identifier, 'unexpected_error');
      }
    },
  };
}
