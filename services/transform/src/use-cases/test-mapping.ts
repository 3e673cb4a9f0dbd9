import type { PostedMapping, testMapping as contract } from '@receipts/contracts';
import type { Call, Handler } from '@receipts/kernel';
import { compareSample } from '../domain/compare-sample';
import { faultOf, type ConversionFault } from '../domain/faults/conversion-fault';
import { packetOfSample } from '../domain/sample-packet';
import type { Dependencies } from './dependencies';
import { runOnSample } from './run-on-sample';

const errorsMax = 10;

/** The errors of each sample; none for a sample that passes. */
export function sampleFaults(
  deps: Dependencies,
  call: Call,
  mapping: PostedMapping,
): Promise<ConversionFault[][]> {
  const trials = (mapping.samples ?? []).map(async (sample, index) => {
    const path = `/samples/${index}`;
    const packet = packetOfSample(sample, deps.now());
    const { receipts, faults } = await runOnSample(deps, call, mapping, packet);
    const own = faults.map((fault) =>
      faultOf(`${path}/receipts${fault.path}`, fault.code, fault.message, fault.line),
    );
    const isConverted = receipts.length > 0 || faults.length === 0;
    return isConverted ? [...own, ...compareSample(`${path}/expect`, sample.expect, receipts)] : own;
  });
  return Promise.all(trials);
}

/** Runs a mapping on its samples, whether it is stored or not. */
export function testMapping(deps: Dependencies): Handler<typeof contract> {
  return async ({ body }, call) => {
    const faults = await sampleFaults(deps, call, body.mapping);
    return { body: { samples: faults.map((errors) => ({ errors: errors.slice(0, errorsMax) })) } };
  };
}
