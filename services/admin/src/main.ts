import { operatorTokens, runService, sealer } from '@receipts/host';
import { boundCommands } from './broker/bound-commands';
import { incompleteQueues } from './broker/incomplete-queues';
import { integratorAccess } from './broker/integrator-access';
import { queueHistories } from './broker/queue-histories';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();
const { BROKER_MANAGEMENT_URL: managementUrl, AMQP_URL: amqpUrl, RESOURCE_PREFIX: platform } = config;
const management = managementUrl === undefined ? undefined : { managementUrl, amqpUrl, platform };

runService({
  name: 'admin',
  mainFolder: __dirname,
  settings: config,
  database: true,
  start: ({ database, broker, log, metrics }) => {
    const incomplete = metrics.gauge({
      name: 'broker_incomplete_queues',
      help: 'Quorum queues that a running node of the broker should be a member of, but is not.',
    });
    return startService({
      broker,
      database,
      log,
      sealer: sealer(config.MASTER_KEY),
      publicUrl: config.PUBLIC_URL,
      operatorTokens: operatorTokens(config),
      operatorSignIn: config.OPERATOR_SIGN_IN,
      identityProviders: config.IDENTITY_PROVIDERS,
      ...(management && {
        access: integratorAccess({
          ...management,
          publicUrl: config.AMQP_PUBLIC_URL,
        }),
        queueHistories: () => queueHistories(management),
        boundCommands: () => boundCommands({ ...management, bytesMax: config.COMMAND_QUEUE_BYTES_MAX }),
        async incompleteQueues() {
          const found = await incompleteQueues(management);
          incomplete.set(found.length);
          return found;
        },
      }),
    });
  },
});
