import type { Log } from '@receipts/kernel';
import type { Sealer } from '@receipts/host';
import type { Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import type { IncompleteQueue } from '../broker/incomplete-queues';
import type { QueueHistory } from '../broker/queue-histories';
import { sessionCookie } from '../pages/cookies';
import { QueueAges } from './domain/queue-ages';
import { Throughput } from './domain/throughput';
import { guardedDeadLetters } from './guarded-dead-letters';
import {
  DeadLetterSelections,
  deadLetterSelectionsDeclaration,
  type DeadLetterSelectionDocument,
} from './storage/dead-letter-selections';
import {
  OperatorActions,
  operatorActionsDeclaration,
  type OperatorActionDocument,
} from './storage/operator-actions';
import {
  OperatorSessions,
  operatorSessionsDeclaration,
  operatorSessionSeconds,
  type OperatorSessionDocument,
} from './storage/operator-sessions';
import type { IdentityProviderSettings } from '../pages/oidc/identity-providers';
import { ProviderSignIn } from '../pages/oidc/provider-sign-in';
import type { OperatorSignIn } from './operator-sign-in';
import { Instances } from './instances';

const cookie = { name: 'operations', sameSite: 'Strict', ageSeconds: operatorSessionSeconds } as const;

export interface OperationsDependencies {
  readonly broker: Pick<Broker, 'deadLetters' | 'depth'>;
  readonly database: Database;
  readonly ask: Broker['ask'];
  readonly publicUrl: string;
  /** The tokens for signing in to the operations pages, by operator. */
  readonly operatorTokens: Readonly<Record<string, string>>;
  /** How operators sign in without a token; undefined if they cannot. */
  readonly operatorSignIn?: OperatorSignIn | undefined;
  readonly identityProviders?: IdentityProviderSettings | undefined;
  readonly sealer: Sealer;
  /** Limits the lengths of services' queues; undefined if the broker's management interface is not configured. */
  readonly boundCommands?: (() => Promise<void>) | undefined;
  /** Finds queues without all their members; undefined as above. */
  readonly incompleteQueues?: (() => Promise<readonly IncompleteQueue[]>) | undefined;
  /** The last hour of the queues; undefined as above. */
  readonly queueHistories?: (() => Promise<readonly QueueHistory[]>) | undefined;
  readonly log: Log;
  readonly now: () => Date;
}

/** The operator's view of the platform: status, queues, dead letters and the audit log, as endpoints and as pages. */
export async function openOperations(deps: OperationsDependencies) {
  const { broker, database, ask, publicUrl, operatorTokens, operatorSignIn, log, now } = deps;
  const { boundCommands, incompleteQueues, queueHistories, identityProviders: providers = {} } = deps;
  return {
    operatorSignIn,
    ask,
    boundCommands,
    incompleteQueues,
    queueHistories,
    log,
    now,
    operatorSessions: new OperatorSessions(
      await database.collection<OperatorSessionDocument>(operatorSessionsDeclaration),
      { tokens: operatorTokens, emails: operatorSignIn?.emails ?? [] },
    ),
    actions: new OperatorActions(
      await database.collection<OperatorActionDocument>(operatorActionsDeclaration),
    ),
    deadLetterSelections: new DeadLetterSelections(
      await database.collection<DeadLetterSelectionDocument>(deadLetterSelectionsDeclaration),
    ),
    providerSignIn: new ProviderSignIn<object>({ ...deps, area: 'operator', providers }),
    operatorCookie: sessionCookie(publicUrl, cookie),
    /** The public path prefix before `/operator`. */
    base: new URL(publicUrl).pathname.replace(/\/$/, ''),
    deadLetters: guardedDeadLetters(broker.deadLetters),
    depth: (queues: readonly string[]) => broker.depth(queues),
    instances: new Instances(),
    ages: new QueueAges(),
    /** What the last successful check of `watchMembers` found. */
    lastCheck: {} as { incomplete?: readonly IncompleteQueue[] },
    throughput: new Throughput(),
  };
}

export type Operations = Awaited<ReturnType<typeof openOperations>>;

export type { HandlerOf } from '../handler-of';
