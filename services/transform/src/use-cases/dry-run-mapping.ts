import type { dryRunMapping as contract } from '@receipts/contracts';
import type { Call, Handler, Input } from '@receipts/kernel';
import type { DecodedView } from '../domain/run-mapping';
import { packetOfSample } from '../domain/sample-packet';
import { findMapping } from './find-mapping';
import type { Parts } from './parts';
import { runOnSample } from './run-on-sample';

type Contract = typeof contract;

/** @throws ServiceError 404 for the id of a mapping that the calling retailer does not have */
export async function dryRun(parts: Parts, body: Input<Contract>['body'], call: Call) {
  const { mapping, ...sample } = body;
  const rules = typeof mapping === 'string' ? (await findMapping(parts, call, mapping)).document : mapping;
  const startedAt = performance.now();
  const trial = await runOnSample(parts, call, rules, packetOfSample(sample, parts.now()));
  const decoded = JSON.parse(trial.decoded ?? '{}') as DecodedView;
  const { lines, doc, fields, tables } = decoded;
  return {
    receipts: [...trial.receipts],
    errors: [...trial.faults],
    decoded: {
      ...(lines && { lines: [...lines] }),
      ...(doc !== undefined && { doc }),
      ...(fields && { fields }),
      ...(tables && { tables }),
    },
    time: Math.round(performance.now() - startedAt),
  };
}

/** Shows the receipts that a mapping produces from data, without storing them. */
export function dryRunMapping(parts: Parts): Handler<Contract> {
  return async ({ body }, call) => ({ body: await dryRun(parts, body, call) });
}
