#!/usr/bin/env node
/**
 * Creates the mappings of a folder for a retailer and activates them: `node dist/load-examples.js --dir
 * deploy/examples/mappings --retailer demo`. Existing ones are left alone, so that it can run at every start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brokerAccess, createLogger, readSettings, brokerSettings, type Logger } from '@receipts/host';
import {
  postedMapping,
  transformContracts,
  type MappingDocument,
  type PostedMapping,
} from '@receipts/contracts';
import { isSameJson } from '@receipts/json-patch';
import { check, serviceCall, ServiceError } from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';

const timeoutMs = 45_000;

const callOf = (retailer: string) => serviceCall('load-examples', Date.now(), retailer, timeoutMs);

async function findNewest(
  broker: Broker,
  retailer: string,
  id: string,
): Promise<MappingDocument | undefined> {
  try {
    const call = callOf(retailer);
    const { body } = await broker.ask(transformContracts.getMapping, { params: { id }, query: {} }, call);
    return body;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  }
}

function isSame(
  posted: PostedMapping,
  { version: _version, status: _status, ...kept }: MappingDocument,
): boolean {
  return isSameJson(posted, kept);
}

async function setUp(broker: Broker, retailer: string, posted: PostedMapping): Promise<boolean> {
  const { id } = posted;
  const newest = await findNewest(broker, retailer, id);
  if (newest?.status === 'active' && isSame(posted, newest)) return false;
  if (!newest || !isSame(posted, newest)) {
    await broker.ask(transformContracts.createMapping, { body: posted }, callOf(retailer));
  }
  await broker.ask(transformContracts.activateMapping, { params: { id }, body: {} }, callOf(retailer));
  return true;
}

/** Creates every mapping of a folder; returns the ids of those that were not active before. */
export async function loadExamples(broker: Broker, retailer: string, dir: string): Promise<string[]> {
  const loaded: string[] = [];
  const files = readdirSync(dir).filter((file) => file.endsWith('.json'));
  for (const file of files.sort()) {
    const posted = check(postedMapping, JSON.parse(readFileSync(join(dir, file), 'utf8')));
    if (await setUp(broker, retailer, posted)) loaded.push(posted.id);
  }
  return loaded;
}

async function main(log: Logger): Promise<void> {
  const { values } = parseArgs({ options: { dir: { type: 'string' }, retailer: { type: 'string' } } });
  const { dir, retailer } = values;
  if (dir === undefined || retailer === undefined) {
    throw new Error('usage: load-examples --dir <folder of mappings> --retailer <id>');
  }
  const access = brokerAccess(readSettings(brokerSettings));
  const broker = await connectBroker({ ...access, service: 'load-examples', log });
  try {
    const loaded = await loadExamples(broker, retailer, dir);
    log.info('mappings are set up', { retailer, loaded });
  } finally {
    await broker.close();
  }
}

if (require.main === module) {
  const log = createLogger({ service: 'load-examples', level: 'info' });
  main(log)
    .catch((error: unknown) => {
      const faults = error instanceof ServiceError ? { errors: error.errors } : {};
      log.error('could not set up the mappings', { error, ...faults });
      process.exitCode = 1;
    })
    .finally(() => log.flush());
}
