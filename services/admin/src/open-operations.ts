import type { adminContracts } from '@receipts/contracts';
import { instanceReported } from '@receipts/host';
import { on } from '@receipts/messaging';
import { once, type Background, type Hearing, type Served } from '@receipts/storage';
import type { Parts } from './open-parts';
import { discardParkedMessages } from './use-cases/discard-parked-messages';
import { getParkedMessage } from './use-cases/get-parked-message';
import { getStatus, requestQueues } from './use-cases/get-status';
import { listOperatorActions } from './use-cases/list-operator-actions';
import { listParkedMessages } from './use-cases/list-parked-messages';
import { noteOperatorAction } from './use-cases/note-operator-action';
import { onInstanceReported } from './use-cases/on-instance-reported';
import { replayParkedMessages } from './use-cases/replay-parked-messages';
import { watchQueues } from './use-cases/watch-queues';

type Contracts = Pick<
  typeof adminContracts,
  | 'getStatus'
  | 'noteOperatorAction'
  | 'listOperatorActions'
  | 'listParkedMessages'
  | 'getParkedMessage'
  | 'replayParkedMessages'
  | 'discardParkedMessages'
>;

export interface Operations {
  readonly handlers: Served<Contracts>;
  readonly hears: readonly Hearing[];
  readonly watching: Background;
}

/** What the operator sees of the platform, and does to it. */
export function openOperations(parts: Parts): Operations {
  const subscriptions = [on([instanceReported], onInstanceReported(parts))];
  return {
    handlers: {
      getStatus: getStatus(parts),
      noteOperatorAction: noteOperatorAction(parts),
      listOperatorActions: listOperatorActions(parts),
      listParkedMessages: listParkedMessages(parts),
      getParkedMessage: getParkedMessage(parts),
      replayParkedMessages: once(replayParkedMessages(parts)),
      discardParkedMessages: once(discardParkedMessages(parts)),
    },
    hears: [{ queue: 'admin.on-instances', subscriptions, exclusive: true }],
    watching: watchQueues({ ...parts, known: requestQueues }),
  };
}
