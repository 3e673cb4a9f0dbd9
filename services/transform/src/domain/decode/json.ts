import { isDeeperThan } from '@receipts/kernel/json-depth';
import { parseLongNumbersAsText } from '@receipts/kernel/long-numbers';
import { decodeFailed } from '../faults/conversion-fault';
import { decodeText } from './charset';
import type { DecodeOptions, Part } from '../decoded/decoded';

const depthMax = 100;

function lineOf(text: string, error: unknown): number | undefined {
  const [, position] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
  return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
}

/** The whole document becomes `doc`; numbers that a double cannot hold become their text. */
export function decodeJson(
  bytes: Buffer,
  options: DecodeOptions<'json'>,
  contentType: string | null,
): Part[] {
  const text = decodeText(bytes, options.codepage, contentType).replace(/^\ufeff/, '');
  if (isDeeperThan(Buffer.from(text), depthMax)) throw decodeFailed(`nests deeper than ${depthMax} levels`);
  try {
    return [{ doc: parseLongNumbersAsText(text) }];
  } catch (error) {
    throw decodeFailed('is not valid JSON', lineOf(text, error));
  }
}
