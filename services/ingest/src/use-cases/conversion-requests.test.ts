import { silentLog } from '@receipts/testing';
import { Binary } from 'mongodb';
import type { PacketDocument } from '../storage/packet-document';
import { ConversionRequests } from './conversion-requests';

const documentOf = (id: string, changes: Partial<PacketDocument> = {}): PacketDocument => ({
  _id: id,
  retailer: 'acme',
  version: 1,
  status: 'accepted',
  contentType: null,
  size: 1,
  receivedAt: new Date(0),
  updatedAt: new Date(0),
  attempts: 1,
  metadata: {},
  properties: '{}',
  attachments: [],
  receiptIds: [],
  raw: new Binary(Buffer.from('x')),
  retries: 0,
  requestId: 'r',
  arrival: { accepted: 'e', cause: 'c' },
  ...changes,
});

/** A broker that confirms when the test tells it to. */
function world() {
  const sent: string[] = [];
  const confirms: ((error?: Error) => void)[] = [];
  const warnings: string[] = [];
  const broker = {
    sendRaw: (_: unknown, { params }: { params: { id: string } }) => {
      sent.push(params.id);
      return new Promise<void>((resolve, reject) =>
        confirms.push((error) => (error ? reject(error) : resolve())),
      );
    },
  };
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const conversionRequests = new ConversionRequests({ broker: broker as never, now: () => new Date(0), log });
  return { sent, confirms, warnings, conversionRequests };
}

test('immediately requests the conversion of accepted packets, but not of others', async () => {
  const { sent, confirms, conversionRequests } = world();
  conversionRequests.add(documentOf('a'));
  conversionRequests.add(documentOf('b', { status: 'converted' }));
  expect(sent).toEqual(['a']);
  confirms[0]?.();
  await conversionRequests.idle();
});

test('leaves excess packets to the sweep, and accepts new packets afterwards', async () => {
  const { sent, confirms, conversionRequests } = world();
  const large = 20 * 1024 * 1024;
  conversionRequests.add(documentOf('a', { size: large }));
  conversionRequests.add(documentOf('b', { size: large }));
  expect(sent).toEqual(['a']);
  confirms[0]?.();
  await conversionRequests.idle();
  conversionRequests.add(documentOf('c', { size: large }));
  expect(sent).toEqual(['a', 'c']);
});

test('logs a request that cannot be sent, and leaves it to the sweep', async () => {
  const { confirms, warnings, conversionRequests } = world();
  conversionRequests.add(documentOf('a'));
  confirms[0]?.(new Error('away'));
  await conversionRequests.idle();
  expect(warnings).toEqual(['a conversion could not be requested']);
});
