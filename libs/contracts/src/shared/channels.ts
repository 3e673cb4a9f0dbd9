/** The channels over which receipts are delivered. */
export const channels = ['email', 'sms', 'whatsapp'] as const;
export type Channel = (typeof channels)[number];
