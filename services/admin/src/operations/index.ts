import type { operationsContracts } from '@receipts/contracts';
import type { Handlers } from '@receipts/kernel';
import { operationsAudit } from './audit';
import { operationsDecideDeadLetters } from './decide-dead-letters';
import { operationsDeliveries } from './deliveries';
import { operationsOverview, operationsRoot } from './overview';
import { operationsDeadLetters } from './dead-letters';
import { operationsDeadLetter } from './dead-letter';
import { operationsPacket, operationsTryPacket } from './packet';
import { operationsPackets } from './packets';
import { operationsQueues } from './queues';
import { operationsSignIn, operationsSignInPage, operationsSignOut } from './sign-in';
import type { OperationsDeps } from './signed-in';
import { operationsWebhooks } from './webhooks';

/** All operations pages and forms. */
export function operationsHandlers(deps: OperationsDeps): Handlers<typeof operationsContracts> {
  return {
    operationsRoot: operationsRoot(),
    operationsOverview: operationsOverview(deps),
    operationsSignInPage: operationsSignInPage(deps),
    operationsSignIn: operationsSignIn(deps),
    operationsSignOut: operationsSignOut(deps),
    operationsQueues: operationsQueues(deps),
    operationsDeadLetters: operationsDeadLetters(deps),
    operationsDeadLetter: operationsDeadLetter(deps),
    operationsDecideDeadLetters: operationsDecideDeadLetters(deps),
    operationsPackets: operationsPackets(deps),
    operationsPacket: operationsPacket(deps),
    operationsTryPacket: operationsTryPacket(deps),
    operationsWebhooks: operationsWebhooks(deps),
    operationsDeliveries: operationsDeliveries(deps),
    operationsAudit: operationsAudit(deps),
  };
}
