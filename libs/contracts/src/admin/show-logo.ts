import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { publicRoute } from '../shared/public-route';
import { text } from '../shared/query-parameters';

export const logoNotFound = {
  status: 404,
  code: 'logo_not_found',
  description: 'the logo was replaced or never existed',
} as const;

/** The address of an uploaded logo. @param publicUrl the public URL of the platform, without a trailing slash */
export const logoAddress = (publicUrl: string, id: string): string => `${publicUrl}/logos/${id}`;

/** The logo that an address leads to; undefined for the address of another site. */
export function uploadedLogoId(publicUrl: string, address: string): string | undefined {
  const start = logoAddress(publicUrl, '');
  return address.startsWith(start) ? address.slice(start.length) : undefined;
}

/** The address is made of the content, so what it leads to never changes. */
export const showLogo = defineQuery(
  {
    name: 'admin.show-logo',
    summary: 'Show an uploaded logo',
    description:
      'Returns a logo that was uploaded in the portal. The `logo` of `brand` points here; the address changes with the image.',
    http: {
      method: 'GET',
      path: '/logos/{id}',
      ...publicRoute,
      produces: ['image/png', 'image/jpeg', 'image/webp'],
    },
    params: z.object({
      id: text({ max: 100, description: 'The id of the logo.', example: 'mP9pXwGmE4fyOQY2' }),
    }),
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
    errors: [logoNotFound],
  },
  {
    response: () => ({
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      },
    }),
  },
);
