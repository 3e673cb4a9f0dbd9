/** The remaining part of a rate limit. */
export interface Quota {
  /** The limit that applies: that of the route, or that of all reads or writes of the caller. */
  readonly policy: 'route' | 'reads' | 'writes';
  readonly requests: number;
  readonly perSeconds: number;
  readonly left: number;
  /** Seconds until the full limit is available again. */
  readonly fullInSeconds: number;
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), as alternating names and values. */
export function quotaHeaders({ policy, requests, perSeconds, left, fullInSeconds }: Quota): string[] {
  return [
    'ratelimit-policy',
    `"${policy}";q=${requests};w=${perSeconds}`,
    'ratelimit',
    `"${policy}";r=${left};t=${fullInSeconds}`,
  ];
}
