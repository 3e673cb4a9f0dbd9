import {
  receiptStoreContracts,
  type dryRunMapping as contract,
  type PostedReceipt,
} from '@receipts/contracts';
import { causedCall, type Answer, type Call, type Handler, type Input } from '@receipts/kernel';
import type { Decoded } from '../domain/run-mapping';
import { packetOfSample } from '../domain/sample-packet';
import { findMapping } from './find-mapping';
import type { Parts } from './parts';
import { runOnSample, type SampleRun } from './run-on-sample';

type Contract = typeof contract;
type DryRun = Answer<Contract>['body'];

/** The receipts whose totals are checked. */
const checkedReceiptsMax = 50;
const previewTimeoutMs = 5_000;

/** The numbers of the receipts that do not add up. */
async function checkWarnings(parts: Parts, trial: SampleRun, call: Call): Promise<DryRun['warnings']> {
  const receipts = (trial.faults.length > 0 ? [] : trial.receipts).slice(
    0,
    checkedReceiptsMax,
  ) as PostedReceipt[];
  const asked = causedCall('transform', call, parts.now().getTime(), previewTimeoutMs);
  const found = await Promise.all(
    receipts.map(async (receipt, index) => {
      const { body } = await parts.broker.ask(
        receiptStoreContracts.previewReceipt,
        { body: { receipt } },
        asked,
      );
      return body.checks.map(({ code, path, expected, actual }) => ({
        path: `/${index}${path}`,
        code,
        message: `is ${actual}, but the other numbers give ${expected}`,
        part: trial.partsOfReceipts[index] ?? 0,
      }));
    }),
  );
  return found.flat();
}

/** @throws ServiceError 404 for the id of a mapping that the calling retailer does not have */
export async function dryRun(parts: Parts, body: Input<Contract>['body'], call: Call): Promise<DryRun> {
  const { mapping, ...sample } = body;
  const rules = typeof mapping === 'string' ? (await findMapping(parts, call, mapping)).document : mapping;
  const startedAt = performance.now();
  const trial = await runOnSample(parts, call, rules, packetOfSample(sample, parts.now()));
  const time = Math.round(performance.now() - startedAt);
  const decoded = JSON.parse(trial.decoded ?? '{"parts":[],"warnings":[]}') as DryRun['decoded'] & Decoded;
  const warnings = [...decoded.warnings, ...(await checkWarnings(parts, trial, call))];
  return {
    receipts: [...trial.receipts],
    errors: [...trial.faults],
    warnings,
    decoded: { ...decoded.parts[0], parts: decoded.parts },
    time,
  };
}

/** Shows the receipts that a mapping produces from data, without storing them. */
export function dryRunMapping(parts: Parts): Handler<Contract> {
  return async ({ body }, call) => ({ body: await dryRun(parts, body, call) });
}
