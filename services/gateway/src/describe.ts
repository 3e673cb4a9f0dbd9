import * as contracts from '@receipts/contracts';
import { packageVersion } from '@receipts/host';
import { describeApi } from './openapi/document';
import { describeEvents } from './openapi/events';
import { nameSchemas } from './openapi/json-schema';
import { platformContracts, platformEvents } from './platform';

// Prints both API descriptions as one JSON object, without a running platform: the input of client generators.
nameSchemas(contracts);
const version = packageVersion(__dirname);
const descriptions = {
  openapi: describeApi(platformContracts, { version }),
  asyncapi: describeEvents(platformEvents, version),
};
process.stdout.write(`${JSON.stringify(descriptions)}\n`);
