/** What a limit leaves a caller. */
export interface Quota {
  /** Which limit it is: that of the route, or of all that a caller reads or writes. */
  readonly policy: 'route' | 'reads' | 'writes';
  readonly requests: number;
  readonly perSeconds: number;
  readonly left: number;
  /** Seconds until all of it is there again. */
  readonly fullInSeconds: number;
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), as names and values in turn. */
export function quotaHeaders({ policy, requests, perSeconds, left, fullInSeconds }: Quota): string[] {
  return [
    'ratelimit-policy',
    `"${policy}";q=${requests};w=${perSeconds}`,
    'ratelimit',
    `"${policy}";r=${left};t=${fullInSeconds}`,
  ];
}
