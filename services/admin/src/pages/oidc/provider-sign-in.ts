import type { Sealer } from '@receipts/host';
import type { Log } from '@receipts/kernel';
import { sessionCookie } from '../cookies';
import { redirectTo, type PageReply } from '../reply';
import { openStep, sealStep } from '../sealed-step';
import {
  IdentityFault,
  IdentityProviders,
  type IdentityProviderSettings,
  type PendingSignIn,
} from './identity-providers';

export interface ProviderSignInOptions {
  /** The first part of the path of the pages. */
  readonly area: 'portal' | 'operator';
  readonly providers: IdentityProviderSettings;
  readonly sealer: Sealer;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  readonly log: Log;
  readonly now: () => Date;
}

/** How long the browser may stay at the identity provider. */
const stepSeconds = 10 * 60;

/**
 * Sends browsers to an identity provider, and finds out who has signed in when they return.
 * @typeParam Facts what the browser keeps meanwhile, besides what the provider needs
 */
export class ProviderSignIn<Facts extends object> {
  private readonly identityProviders: IdentityProviders;
  private readonly cookie: ReturnType<typeof sessionCookie>;
  private readonly purpose: string;
  private readonly callback: string;

  constructor(private readonly options: ProviderSignInOptions) {
    const { area, providers, publicUrl } = options;
    this.purpose = `${area}-oidc`;
    this.callback = `${publicUrl}/${area}/oidc/callback`;
    this.identityProviders = new IdentityProviders(providers);
    // A strict cookie would be missing when the browser returns from another site.
    const facts = { name: this.purpose, sameSite: 'Lax', ageSeconds: stepSeconds } as const;
    this.cookie = sessionCookie(publicUrl, facts);
  }

  has(provider: string): boolean {
    return this.identityProviders.has(provider);
  }

  /** The redirect to the provider; undefined if it cannot be reached. */
  async begin(provider: string, facts: Facts): Promise<PageReply | undefined> {
    const { sealer, now } = this.options;
    const begun = await this.unlessFault(provider, this.identityProviders.begin(provider, this.callback));
    if (!begun) return undefined;
    const expires = now().getTime() + stepSeconds * 1_000;
    const step = sealStep(sealer, this.purpose, { ...facts, ...begun.pending }, expires);
    return redirectTo(begun.address, [this.cookie.set(step)]);
  }

  /** What the browser has kept; undefined if it did not begin here, or too long ago. */
  pending(cookies: string | undefined): (PendingSignIn & Facts) | undefined {
    const { sealer, now } = this.options;
    return openStep(sealer, this.purpose, this.cookie.read(cookies) ?? '', now().getTime());
  }

  /**
   * @param answer the query with which the provider has redirected the browser
   * @returns the e-mail address that the provider confirms; undefined if it confirms none
   */
  confirmedEmail(
    answer: Readonly<Record<string, string | undefined>>,
    pending: PendingSignIn,
  ): Promise<string | undefined> {
    const { provider } = pending;
    return this.unlessFault(provider, this.identityProviders.finish(answer, this.callback, pending));
  }

  /** The reply that ends the sign-in, after which the browser keeps nothing of it. */
  ended({ body, meta }: PageReply): PageReply {
    return { body, meta: { ...meta, cookies: [...(meta.cookies ?? []), this.cookie.clear()] } };
  }

  private async unlessFault<T>(provider: string, attempt: Promise<T>): Promise<T | undefined> {
    try {
      return await attempt;
    } catch (error) {
      if (!(error instanceof IdentityFault)) throw error;
      const { area, log } = this.options;
      log.warn('a sign-in by an identity provider failed', { area, provider, error });
      return undefined;
    }
  }
}
