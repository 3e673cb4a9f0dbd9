/** A place where data about a person can be, and how it ends there. */
interface PersonalDataPlace {
  /** What is stored there; for a place that holds no person, why not. */
  readonly holds: string;
  /** `service.collection` */
  readonly collections?: readonly string[];
  /** How the data of an erased consumer or a deleted receipt ends. Absent if there is none. */
  readonly ends?: string;
}

const ofEachService = (collection: string) =>
  ['admin', 'delivery', 'identifier', 'ingest', 'receipt-store', 'transform'].map(
    (service) => `${service}.${collection}`,
  );

/**
 * Every place of the platform. A test plants a person in all of them and looks for traces after the erasure, and fails
 * for a collection that is not in this list.
 */
export const personalDataPlaces: readonly PersonalDataPlace[] = [
  {
    holds:
      'receipts, their gift receipts with the messages on them, their search documents, and the events that are being published',
    collections: ['receipt-store.receipts'],
    ends: 'Erased receipts keep their figures. Deleted receipts keep their ids. Gift receipts go with both.',
  },
  {
    holds: 'words of receipts and identifiers, for searches with similar words',
    collections: ['receipt-store.vocabulary', 'identifier.vocabulary'],
    ends: 'Words that no other text contains go with the receipt or identifier.',
  },
  {
    holds: 'raw data of tills with its metadata and properties',
    collections: ['ingest.packets'],
    ends: 'The content goes with the last receipt of the packet, when the consumer in its metadata is erased, and after `retention_days`.',
  },
  {
    holds: 'attachments and their names',
    collections: ['ingest.attachments'],
    ends: 'They go with the last receipt that refers to them; unused attachments after `retention_days`.',
  },
  {
    holds: 'identifiers, their properties and search words',
    collections: ['identifier.identifiers'],
    ends: 'Deleted by the erasure.',
  },
  {
    holds: 'the consumer of each receipt, and totals of consumers with many receipts',
    collections: ['identifier.receipt_contributions', 'identifier.running_totals'],
    ends: 'The erasure removes the consumer.',
  },
  {
    holds: 'rewards and their consumers',
    collections: ['identifier.rewards', 'identifier.reward_numbers'],
    ends: 'The erasure replaces the consumer of each reward.',
  },
  {
    holds: 'the identifier of an erasure in progress',
    collections: ['identifier.erasures'],
    ends: 'Only a hash remains.',
  },
  {
    holds: 'card numbers with hashes of their codes, and failed attempts',
    collections: ['identifier.cards', 'identifier.card_attempts'],
    ends: 'Imported cards stay until they are replaced by another import. Attempts expire.',
  },
  {
    holds: 'events for `GET /events`, webhooks and subscriptions',
    collections: ['delivery.event_log'],
    ends: 'They lose what the receipt lost, and expire after `event_days`.',
  },
  {
    holds: 'events that consumers may have missed',
    collections: ofEachService('kept_events'),
    ends: 'Deleted with their subject, and after a day.',
  },
  {
    holds: 'webhook calls and their responses',
    collections: ['delivery.webhook_deliveries', 'delivery.webhook_recoveries'],
    ends: 'Payloads are read from the event log. They expire after `event_days`.',
  },
  {
    holds: 'addresses of deliveries, recipients and opt-outs',
    collections: ['delivery.deliveries', 'delivery.recipients', 'delivery.opt_outs'],
    ends: 'Addresses go with the receipt or consumer. Opt-outs are kept as hashes, so that they stay in force.',
  },
  {
    holds: 'pages, proofs and links of receipts',
    collections: [
      'delivery.receipt_views',
      'delivery.receipt_links',
      'delivery.receipt_erasures',
      'delivery.proofs',
    ],
    ends: 'They contain ids, not persons. Views go with the receipt.',
  },
  {
    holds: 'responses to requests with an `Idempotency-Key`',
    collections: ofEachService('idempotency'),
    ends: 'Responses that name an erased consumer or a deleted receipt are deleted; all expire after 24 hours.',
  },
  {
    holds: 'searches that users of the portal have saved, which may name a consumer',
    collections: ['admin.saved_searches'],
    ends: 'The erasure deletes those that contain the identifier, the e-mail address or the phone number.',
  },
  {
    holds: 'staff and operators, not consumers',
    collections: [
      'admin.portal_users',
      'admin.portal_sessions',
      'admin.portal_sign_ins',
      'admin.portal_second_factors',
      'delivery.notifications',
      'delivery.alerts',
      'admin.operator_actions',
      'admin.operator_sessions',
    ],
  },
  {
    holds: 'the retailer’s own configuration and credentials',
    collections: [
      'admin.retailers',
      'admin.logos',
      'admin.clients',
      'admin.client_calls',
      'admin.tokens',
      'admin.counters',
      'admin.stores',
      'admin.subscriptions',
      'admin.dead_letter_selections',
      'receipt-store.retailers',
      'receipt-store.stores',
      'delivery.signing_keys',
      'delivery.webhook_endpoints',
    ],
  },
  {
    holds: 'mappings with the samples that the retailer has saved in them',
    collections: ['transform.mappings', 'transform.mapping_versions'],
    ends: 'The retailer decides what a sample contains, and should not use data of real consumers.',
  },
  {
    holds: 'sums, states of tills, positions and leases',
    collections: [
      'ingest.till_agents',
      'receipt-store.till_silences',
      'receipt-store.receipt_totals',
      'receipt-store.totals_changes',
      'receipt-store.totals_cursors',
      'receipt-store.event_watermarks',
      'delivery.event_feeds',
      'delivery.endpoint_leases',
      'delivery.receipt_catchup_cursors',
      'identifier.receipt_catchup_cursors',
      'delivery.event_catchup_cursors',
      ...ofEachService('leases'),
    ],
  },
  {
    holds: 'messages in the queues of the broker',
    ends: 'They are consumed. Dead letters stay until an operator replays or discards them.',
  },
  { holds: 'logs, which contain ids but no bodies, addresses or other personal data' },
  {
    holds: 'memory of processes, such as cached words and receipts being handled',
    ends: 'Words are dropped after at most an hour, everything else when it is handled.',
  },
  {
    holds: 'e-mails that were sent, in `mail` below the data folder if there is no mail server',
    ends: 'Sent e-mails are outside the platform. The folder is for development.',
  },
  {
    holds: 'files of the database and the broker, whose freed space is not overwritten at once',
    ends: 'Encrypt the disks. The space is reused.',
  },
  {
    holds: 'backups',
    ends: 'Delete backups after the period that your rules allow, and repeat the erasures since a backup after restoring it.',
  },
];

/** What the test does not search, below the data folder of a local platform: see the last entries of the list. */
export const filesOfServers = ['mail', 'embedded-mongo', 'mongodb', 'rabbitmq'];
