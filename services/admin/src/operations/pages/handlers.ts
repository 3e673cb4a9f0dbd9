import { idempotent } from '@receipts/service';
import type { Operations } from '../open-operations';
import { operationsAudit } from './audit';
import { operationsDeadLetter } from './dead-letter';
import { operationsDeadLetters } from './dead-letters';
import { operationsDecideDeadLetters } from './decide-dead-letters';
import { operationsDeliveries } from './deliveries';
import { operationsOverview } from './overview';
import { operationsDryRunPacket, operationsPacket } from './packet';
import { operationsPackets } from './packets';
import { operationsQueues } from './queues';
import { operationsSignIn, operationsSignInPage, operationsSignOut } from './sign-in';
import { operationsWebhooks } from './webhooks';
import { discardDeadLetters } from '../use-cases/discard-dead-letters';
import { getDeadLetter } from '../use-cases/get-dead-letter';
import { getStatus } from '../use-cases/get-status';
import { getThroughput } from '../use-cases/get-throughput';
import { listDeadLetters } from '../use-cases/list-dead-letters';
import { listOperatorActions } from '../use-cases/list-operator-actions';
import { recordOperatorAction } from '../use-cases/record-operator-action';
import { replayDeadLetters } from '../use-cases/replay-dead-letters';

/** The operator's endpoints, and the pages that show their responses. */
export const operationsHandlers = (operations: Operations) => ({
  getStatus: getStatus(operations),
  getThroughput: getThroughput(operations),
  listOperatorActions: listOperatorActions(operations),
  recordOperatorAction: recordOperatorAction(operations),
  listDeadLetters: listDeadLetters(operations),
  getDeadLetter: getDeadLetter(operations),
  replayDeadLetters: idempotent(replayDeadLetters(operations)),
  discardDeadLetters: idempotent(discardDeadLetters(operations)),
  operationsOverview: operationsOverview(operations),
  operationsSignInPage: operationsSignInPage(operations),
  operationsSignIn: operationsSignIn(operations),
  operationsSignOut: operationsSignOut(operations),
  operationsQueues: operationsQueues(operations),
  operationsDeadLetters: operationsDeadLetters(operations),
  operationsDeadLetter: operationsDeadLetter(operations),
  operationsDecideDeadLetters: operationsDecideDeadLetters(operations),
  operationsPackets: operationsPackets(operations),
  operationsPacket: operationsPacket(operations),
  operationsDryRunPacket: operationsDryRunPacket(operations),
  operationsWebhooks: operationsWebhooks(operations),
  operationsDeliveries: operationsDeliveries(operations),
  operationsAudit: operationsAudit(operations),
});
