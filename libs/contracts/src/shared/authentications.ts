/** How a client authenticates: with a token, or with signed URLs. */
export const authentications = ['bearer', 'hmac'] as const;
export type Authentication = (typeof authentications)[number];
