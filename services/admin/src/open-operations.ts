import type { adminContracts, operationsContracts } from '@receipts/contracts';
import { instanceReported } from '@receipts/host';
import { on, type SubscribeOptions } from '@receipts/messaging';
import { type Background, type Served, idempotent } from '@receipts/service';
import type { Parts } from './create-dependencies';
import { operationsHandlers } from './operations';
import { discardDeadLetters } from './use-cases/discard-dead-letters';
import { getDeadLetter } from './use-cases/get-dead-letter';
import { getStatus, requestQueues } from './use-cases/get-status';
import { getThroughput } from './use-cases/get-throughput';
import { listOperatorActions } from './use-cases/list-operator-actions';
import { listDeadLetters } from './use-cases/list-dead-letters';
import { noteOperatorAction } from './use-cases/note-operator-action';
import { onInstanceReported } from './use-cases/on-instance-reported';
import { replayDeadLetters } from './use-cases/replay-dead-letters';
import { watchQueues } from './use-cases/watch-queues';

type Contracts = Pick<
  typeof adminContracts,
  | 'getStatus'
  | 'getThroughput'
  | 'noteOperatorAction'
  | 'listOperatorActions'
  | 'listDeadLetters'
  | 'getDeadLetter'
  | 'replayDeadLetters'
  | 'discardDeadLetters'
> &
  typeof operationsContracts;

export interface Operations {
  readonly handlers: Served<Contracts>;
  readonly subscriptions: readonly SubscribeOptions[];
  readonly watching: Background;
}

/** The operator's view of the platform, and operations on it. */
export function openOperations(parts: Parts): Operations {
  const subscriptions = [on([instanceReported], onInstanceReported(parts))];
  const endpoints = {
    getStatus: getStatus(parts),
    getThroughput: getThroughput(parts),
    listOperatorActions: listOperatorActions(parts),
    listDeadLetters: listDeadLetters(parts),
    getDeadLetter: getDeadLetter(parts),
    replayDeadLetters: replayDeadLetters(parts),
    discardDeadLetters: discardDeadLetters(parts),
  };
  return {
    handlers: {
      ...endpoints,
      replayDeadLetters: idempotent(endpoints.replayDeadLetters),
      discardDeadLetters: idempotent(endpoints.discardDeadLetters),
      noteOperatorAction: noteOperatorAction(parts),
      ...operationsHandlers({ ...parts, endpoints }),
    },
    subscriptions: [{ queue: 'admin.on-instances', subscriptions, exclusive: true }],
    watching: watchQueues({ ...parts, known: requestQueues }),
  };
}
