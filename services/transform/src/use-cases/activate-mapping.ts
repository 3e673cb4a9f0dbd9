import {
  mappingNotFound,
  samplesFailed,
  type activateMapping as contract,
  type PostedMapping,
} from '@receipts/contracts';
import { faultsMax, ServiceError, type Call, type Handler } from '@receipts/kernel';
import { compareSample } from '../domain/compare-sample';
import { faultOf, type ConversionFault } from '../domain/faults/conversion-fault';
import { documentOf, metaOf } from '../domain/mapping-state';
import { packetOfSample } from '../domain/sample-packet';
import { findMapping } from './find-mapping';
import type { Parts } from './parts';
import { compileOrRefuse, runOnSample } from './run-on-sample';

async function sampleFaults(parts: Parts, mapping: PostedMapping, call: Call): Promise<ConversionFault[]> {
  const samples = mapping.samples ?? [];
  const trials = await Promise.all(
    samples.map((sample) => runOnSample(parts, call.retailer, mapping, packetOfSample(sample, parts.now()))),
  );
  return trials.flatMap(({ receipts, faults }, index) => {
    const path = `/samples/${index}`;
    const own = faults.map((fault) =>
      faultOf(`${path}/receipts${fault.path}`, fault.code, fault.message, fault.line),
    );
    const sample = samples[index];
    const differs =
      sample && receipts.length > 0 ? compareSample(`${path}/expect`, sample.expect, receipts) : [];
    return [...own, ...differs];
  });
}

/** Activates a version if its samples produce the expected receipts. */
export function activateMapping(parts: Parts): Handler<typeof contract> {
  return async ({ params, body }, call) => {
    const { document } = await findMapping(parts, call, params.id, body?.version);
    await compileOrRefuse(parts, call.retailer, document);
    const faults = await sampleFaults(parts, document, call);
    if (faults.length > 0) throw new ServiceError(samplesFailed, { errors: faults.slice(0, faultsMax) });
    const { mappings, activeMappings, now } = parts;
    const head = await mappings.setActive(call.retailer, document.id, document.version, call, now());
    if (!head) throw new ServiceError(mappingNotFound);
    activeMappings.forget(call.retailer);
    const active = documentOf(head, document.version, document);
    return { body: active, meta: metaOf(active) };
  };
}
