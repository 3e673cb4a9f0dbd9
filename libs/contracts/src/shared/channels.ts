/** The ways by which a receipt can be brought to somebody. */
export const channels = ['email', 'sms', 'whatsapp'] as const;
export type Channel = (typeof channels)[number];
