import type { adminContracts, operationsContracts } from '@receipts/contracts';
import { instanceReported } from '@receipts/host';
import { on } from '@receipts/messaging';
import { once, type Background, type Hearing, type Served } from '@receipts/storage';
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
  readonly hears: readonly Hearing[];
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
      replayParkedMessages: once(endpoints.replayParkedMessages),
      discardParkedMessages: once(endpoints.discardParkedMessages),
      noteOperatorAction: noteOperatorAction(parts),
      ...operationsHandlers({ ...parts, endpoints }),
    },
    hears: [{ queue: 'admin.on-instances', subscriptions, exclusive: true }],
    watching: watchQueues({ ...parts, known: requestQueues }),
  };
}
