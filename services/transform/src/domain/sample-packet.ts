import { metadataNames, type MappingSample, type PacketMetadata } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import type { RawPacket } from './run-mapping';

type Given = Omit<MappingSample, 'expect'>;

function metadataOf(given: Readonly<Record<string, unknown>>): PacketMetadata {
  const metadata: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase().replaceAll('-', '_');
    if (!(metadataNames as readonly string[]).includes(name)) continue;
    metadata[name] = name === 'duplicate' ? value === true || value === 'true' : String(value);
  }
  return metadata;
}

/** A packet created from a sample or from the input of a dry run, as a till would have sent it. */
export function packetOfSample(sample: Given, now: Date): RawPacket {
  const properties = Object.entries(sample.properties ?? {}).map(([key, value]): [string, unknown] => [
    key.toLowerCase().replaceAll('-', '_'),
    value,
  ]);
  return {
    bytes: Buffer.from(sample.input_base64, 'base64'),
    contentType: sample.content_type ?? null,
    metadata: metadataOf(sample.metadata ?? {}),
    properties: Object.fromEntries(properties),
    attachments: [],
    receivedTimestamp: timestampOf(now),
  };
}
