interface TagText {
  readonly title: string;
  readonly description: string;
}

/**
 * The groups of operations, by the first segment of their paths, in the order in which integrators need them. `npm run
 * check` fails for a group without a text.
 */
export const tagTexts: Readonly<Record<string, TagText>> = {
  receipts: {
    title: 'Receipts',
    description: 'Post, list, search, change, assign, send, void, delete and export receipts.',
  },
  identifiers: {
    title: 'Consumers',
    description: 'The consumers to whom receipts belong: their properties, opt-outs, validation and erasure.',
  },
  pos: {
    title: 'Raw receipts and mappings',
    description: 'Post raw data from tills, follow its conversion, and manage the mappings that convert it.',
  },
  attachments: {
    title: 'Attachments',
    description: 'Files that are linked to receipts, such as guarantees and tickets.',
  },
  events: {
    title: 'Event feed',
    description: 'The events of the retailer, in order, for programs that poll.',
  },
  webhooks: {
    title: 'Webhooks',
    description: 'Endpoints that receive the events of the retailer, and the deliveries to them.',
  },
  stores: { title: 'Stores', description: 'The stores of the retailer, which receipts refer to.' },
  reports: { title: 'Reports', description: 'Totals by day, store and till.' },
  cards: { title: 'Cards', description: 'Verify that a registration code belongs to a card.' },
  loyalty: { title: 'Loyalty', description: 'The rewards that consumers have earned.' },
  clients: {
    title: 'API clients',
    description: 'The credentials of tills, back offices and applications, and their tokens.',
  },
  portal: {
    title: 'Portal users',
    description: 'The users of the portal for the staff of a retailer.',
  },
  r: {
    title: 'Links of receipts',
    description: 'The public pages, files and images of receipts, for anyone with the link.',
  },
  gift: {
    title: 'Links of gift receipts',
    description: 'The public page, PDF and QR code of a gift receipt, for anyone with the link.',
  },
  logos: {
    title: 'Logos',
    description: 'The logos that were uploaded in the portal, for anyone with the address.',
  },
  verify: { title: 'Verification', description: 'Verify that a receipt is genuine and unchanged.' },
  channels: {
    title: 'Callbacks of providers',
    description: 'Providers of messaging channels report the outcome of messages here.',
  },
  operator: {
    title: 'Operator',
    description: 'Retailers, dead letters and the state of the platform, for its operator.',
  },
  '.well-known': { title: 'Keys', description: 'The public keys with which anybody can verify proofs.' },
  u: { title: 'Unsubscribing', description: 'The pages with which consumers stop e-mails.' },
};
