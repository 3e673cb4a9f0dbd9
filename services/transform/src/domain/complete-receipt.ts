import type { AttachmentLink, PacketMetadata } from '@receipts/contracts';

/** The values from the packet that complete a receipt. */
export interface Completion {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly metadata: PacketMetadata;
  readonly attachments: readonly AttachmentLink[];
}

type Receipt = Record<string, unknown>;

const forEveryReceipt = ['identifier', 'store_reference', 'till_uuid'] as const;
/** Unique per retailer or till, so only the first receipt of a packet can have them. */
const forTheFirst = ['transaction_id', 'external_id', 'till_sequence'] as const;

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function withAttachments(receipt: Receipt, links: readonly AttachmentLink[]): Receipt {
  if (links.length === 0) return receipt;
  const own = receipt['attachments'];
  const linked = Object.fromEntries(links.map(({ id, label }) => [label, { id }]));
  return { ...receipt, attachments: { ...linked, ...(typeof own === 'object' && own !== null ? own : {}) } };
}

/** Adds the mapping's defaults, then values from the packet's metadata. Existing values are never replaced. */
export function completeReceipt(given: Readonly<Receipt>, index: number, completion: Completion): Receipt {
  const { defaults, metadata, attachments } = completion;
  const receipt: Receipt = { ...given };
  for (const name of [...forEveryReceipt, ...(index === 0 ? forTheFirst : [])]) {
    if (isMissing(receipt[name]) && metadata[name] !== undefined) receipt[name] = metadata[name];
  }
  if (metadata.duplicate === true && isMissing(receipt['duplicate'])) receipt['duplicate'] = true;
  for (const [name, value] of Object.entries(defaults)) {
    if (receipt[name] === undefined) receipt[name] = value;
  }
  return withAttachments(receipt, attachments);
}
