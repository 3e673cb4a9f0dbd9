import {
  receiptStoreContracts,
  type dryRunMapping as contract,
  type PostedReceipt,
} from '@receipts/contracts';
import { causedCall, type ReceivedReply, type Call, type Handler, type Input } from '@receipts/kernel';
import type { Decoded } from '../domain/run-mapping';
import { packetOfSample } from '../domain/sample-packet';
import { findMapping } from './find-mapping';
import type { Dependencies } from './dependencies';
import { runOnSample, type SampleRun } from './run-on-sample';

type Contract = typeof contract;
type DryRun = ReceivedReply<Contract>['body'];

/** The receipts whose totals are checked. */
const checkedReceiptsMax = 50;
const previewTimeoutMs = 5_000;

/** The numbers of the receipts that do not add up. */
async function checkWarnings(deps: Dependencies, trial: SampleRun, call: Call): Promise<DryRun['warnings']> {
  const receipts = (trial.faults.length > 0 ? [] : trial.receipts).slice(
    0,
    checkedReceiptsMax,
  ) as PostedReceipt[];
  const asked = causedCall('transform', call, deps.now().getTime(), previewTimeoutMs);
  const found = await Promise.all(
    receipts.map(async (receipt, index) => {
      const { body } = await deps.broker.ask(
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
export async function dryRun(deps: Dependencies, body: Input<Contract>['body'], call: Call): Promise<DryRun> {
  const { mapping, ...sample } = body;
  const rules = typeof mapping === 'string' ? (await findMapping(deps, call, mapping)).document : mapping;
  const startedAt = performance.now();
  const trial = await runOnSample(deps, call, rules, packetOfSample(sample, deps.now()));
  const time = Math.round(performance.now() - startedAt);
  const decoded = JSON.parse(trial.decoded ?? '{"parts":[],"warnings":[]}') as DryRun['decoded'] & Decoded;
  const warnings = [...decoded.warnings, ...(await checkWarnings(deps, trial, call))];
  return {
    receipts: [...trial.receipts],
    errors: [...trial.faults],
    warnings,
    decoded: { ...decoded.parts[0], parts: decoded.parts },
    time,
  };
}

/** Shows the receipts that a mapping produces from data, without storing them. */
export function dryRunMapping(deps: Dependencies): Handler<Contract> {
  return async ({ body }, call) => ({ body: await dryRun(deps, body, call) });
}
