/**
 * The rate limit of public pages, per address. People do not open receipts faster than this, and pages are cheap to
 * render.
 */
export const publicRoute = {
  access: 'public',
  success: 200,
  rate: { requests: 300, perSeconds: 60 },
  // Messengers and newsletters add parameters such as `fbclid` and `utm_source` to links.
  ignoresUnknownQuery: true,
} as const;
