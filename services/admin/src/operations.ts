import { instanceReported } from '@receipts/host';
import { on } from '@receipts/messaging';
import { idempotent } from '@receipts/host/open-service';
import type { Operations } from './operations/open-operations';
import { operationsAudit } from './operations/pages/audit';
import { operationsDeadLetter } from './operations/pages/dead-letter';
import { operationsDeadLetters } from './operations/pages/dead-letters';
import { operationsDecideDeadLetters } from './operations/pages/decide-dead-letters';
import { operationsDeliveries } from './operations/pages/deliveries';
import { operationsOidc, operationsOidcCallback } from './operations/pages/oidc';
import { operationsOverview } from './operations/pages/overview';
import { operationsDryRunPacket, operationsPacket } from './operations/pages/packet';
import { operationsPackets } from './operations/pages/packets';
import { operationsQueue } from './operations/pages/queue';
import { operationsQueues } from './operations/pages/queues';
import { operationsSignIn, operationsSignInPage, operationsSignOut } from './operations/pages/sign-in';
import { operationsWebhooks } from './operations/pages/webhooks';
import { discardDeadLetters } from './operations/use-cases/discard-dead-letters';
import { getDeadLetter } from './operations/use-cases/get-dead-letter';
import { getStatus } from './operations/use-cases/get-status';
import { limitQueues } from './operations/use-cases/limit-queues';
import { onInstanceReported } from './operations/use-cases/on-instance-reported';
import { watchMembers } from './operations/use-cases/watch-members';
import { watchQueues } from './operations/use-cases/watch-queues';
import { getThroughput } from './operations/use-cases/get-throughput';
import { listDeadLetters } from './operations/use-cases/list-dead-letters';
import { listOperatorActions } from './operations/use-cases/list-operator-actions';
import { recordOperatorAction } from './operations/use-cases/record-operator-action';
import { replayDeadLetters } from './operations/use-cases/replay-dead-letters';
import { operationsFrame } from './operations/pages/layout';
import { unknownPage, withErrorShell } from './pages/error-shell';

export { openOperations, type OperationsDependencies } from './operations/open-operations';

/** The pages that show the responses of the operator's endpoints. */
const pageHandlers = (operations: Operations) => {
  const inShell = withErrorShell(operationsFrame(operations));
  return {
    operationsOverview: inShell(operationsOverview(operations)),
    operationsSignInPage: operationsSignInPage(operations),
    operationsSignIn: operationsSignIn(operations),
    operationsOidc: operationsOidc(operations),
    operationsOidcCallback: operationsOidcCallback(operations),
    operationsSignOut: inShell(operationsSignOut(operations)),
    operationsQueues: inShell(operationsQueues(operations)),
    operationsQueue: inShell(operationsQueue(operations)),
    operationsDeadLetters: inShell(operationsDeadLetters(operations)),
    operationsDeadLetter: inShell(operationsDeadLetter(operations)),
    operationsDecideDeadLetters: inShell(operationsDecideDeadLetters(operations)),
    operationsPackets: inShell(operationsPackets(operations)),
    operationsPacket: inShell(operationsPacket(operations)),
    operationsDryRunPacket: inShell(operationsDryRunPacket(operations)),
    operationsWebhooks: inShell(operationsWebhooks(operations)),
    operationsDeliveries: inShell(operationsDeliveries(operations)),
    operationsUnknown: inShell(unknownPage),
    operationsAudit: inShell(operationsAudit(operations)),
  };
};

/** The operator's endpoints and pages. */
export const operationsHandlers = (operations: Operations) => ({
  getStatus: getStatus(operations),
  getThroughput: getThroughput(operations),
  listOperatorActions: listOperatorActions(operations),
  recordOperatorAction: recordOperatorAction(operations),
  listDeadLetters: listDeadLetters(operations),
  getDeadLetter: getDeadLetter(operations),
  replayDeadLetters: idempotent(replayDeadLetters(operations)),
  discardDeadLetters: idempotent(discardDeadLetters(operations)),
  ...pageHandlers(operations),
});

/** The events that operations follows: each process reports its state to every instance. */
export const operationsSubscriptions = (operations: Operations) => [
  on([instanceReported], onInstanceReported(operations)),
];

/** What operations does without a request. */
export const operationsTasks = (operations: Operations) => [
  limitQueues(operations),
  watchQueues(operations),
  watchMembers(operations),
];
