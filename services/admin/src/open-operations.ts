import type { adminContracts, operationsContracts } from '@receipts/contracts';
import { instanceReported } from '@receipts/host';
import { on, type SubscribeOptions } from '@receipts/messaging';
import { type Background, type Served, idempotent } from '@receipts/service';
import type { Parts } from './open-parts';
import { operationsHandlers } from './operations';
import { discardParkedMessages } from './use-cases/discard-parked-messages';
import { getParkedMessage } from './use-cases/get-parked-message';
import { getStatus, requestQueues } from './use-cases/get-status';
import { getThroughput } from './use-cases/get-throughput';
import { listOperatorActions } from './use-cases/list-operator-actions';
import { listParkedMessages } from './use-cases/list-parked-messages';
import { noteOperatorAction } from './use-cases/note-operator-action';
import { onInstanceReported } from './use-cases/on-instance-reported';
import { replayParkedMessages } from './use-cases/replay-parked-messages';
import { watchQueues } from './use-cases/watch-queues';

type Contracts = Pick<
  typeof adminContracts,
  | 'getStatus'
  | 'getThroughput'
  | 'noteOperatorAction'
  | 'listOperatorActions'
  | 'listParkedMessages'
  | 'getParkedMessage'
  | 'replayParkedMessages'
  | 'discardParkedMessages'
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
    listParkedMessages: listParkedMessages(parts),
    getParkedMessage: getParkedMessage(parts),
    replayParkedMessages: replayParkedMessages(parts),
    discardParkedMessages: discardParkedMessages(parts),
  };
  return {
    handlers: {
      ...endpoints,
      replayParkedMessages: idempotent(endpoints.replayParkedMessages),
      discardParkedMessages: idempotent(endpoints.discardParkedMessages),
      noteOperatorAction: noteOperatorAction(parts),
      ...operationsHandlers({ ...parts, endpoints }),
    },
    subscriptions: [{ queue: 'admin.on-instances', subscriptions, exclusive: true }],
    watching: watchQueues({ ...parts, known: requestQueues }),
  };
}
