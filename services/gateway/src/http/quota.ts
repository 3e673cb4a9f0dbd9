/** What a limit leaves a caller. */
export interface Quota {
  readonly requests: number;
  readonly perSeconds: number;
  readonly left: number;
  /** Seconds until all of it is there again. */
  readonly fullInSeconds: number;
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), as names and values in turn. */
export function quotaHeaders({ requests, perSeconds, left, fullInSeconds }: Quota): string[] {
  return [
    'ratelimit-policy',
    `"route";q=${requests};w=${perSeconds}`,
    'ratelimit',
    `"route";r=${left};t=${fullInSeconds}`,
  ];
}
