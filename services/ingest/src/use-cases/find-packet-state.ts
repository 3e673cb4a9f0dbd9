import type { findPacketState as contract } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { type BatchHandler, type Input, type Reply } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { externalKey, linkKey } from '../storage/packet-document';
import type { NamedState, PacketName } from '../storage/packets';
import type { Dependencies } from './dependencies';

const namesIn = ({ body }: Input<typeof contract>): readonly PacketName[] =>
  'receipt_id' in body
    ? [{ _id: body.receipt_id }, { keys: linkKey(body.receipt_id) }]
    : [{ keys: externalKey(body.external_id.toLowerCase()) }];

const hasName = ({ _id, keys = [] }: NamedState, name: PacketName): boolean =>
  '_id' in name ? _id === name._id : keys.includes(name.keys);

function answerOf(found: NamedState | undefined): Reply<typeof contract> {
  if (!found) return { body: { state: 'unknown' } };
  const { _id: id, status: state, reason, receiptIds } = found;
  const isEmpty = state === 'converted' && receiptIds.length === 0;
  return {
    body: {
      state,
      ...(state === 'failed' && reason && { failed: { id, reason } }),
      ...(isEmpty && { empty: { id } }),
    },
  };
}

/** The states of the packets of promised receipts. Packets of the same retailer share one read. */
export function findPacketState({ packets }: Dependencies): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const signal = deadlineSignal(items.map(({ call }) => call));
      const groups = groupBy(items, ({ call }) => call.retailer);
      const found = new Map(
        await Promise.all(
          [...groups].map(async ([retailer, group]) => {
            const names = group.flatMap(({ input }) => namesIn(input));
            return [retailer, await packets.states(retailer, names, signal)] as const;
          }),
        ),
      );
      return items.map(({ input, call }) => {
        const names = namesIn(input);
        const packet = found.get(call.retailer)?.find((one) => names.some((name) => hasName(one, name)));
        return answerOf(packet);
      });
    },
  };
}
