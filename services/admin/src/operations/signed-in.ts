import type { adminContracts } from '@receipts/contracts';
import { newId, ServiceError, type Call, type Handler, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { deadlineSignal } from '@receipts/storage';
import type { SessionCookie } from '../pages/cookies';
import { leadTo, type PageReply } from '../pages/reply';
import type { OperatorActions } from '../storage/operator-actions';
import type { OperatorSessionDocument, OperatorSessions } from '../storage/operator-sessions';

type Does<K extends keyof typeof adminContracts> = Handler<(typeof adminContracts)[K]>;

/** The operator's endpoints. The pages only show their answers. */
export interface OperatorEndpoints {
  readonly getStatus: Does<'getStatus'>;
  readonly getThroughput: Does<'getThroughput'>;
  readonly listDeadLetters: Does<'listDeadLetters'>;
  readonly getDeadLetter: Does<'getDeadLetter'>;
  readonly replayDeadLetters: Does<'replayDeadLetters'>;
  readonly discardDeadLetters: Does<'discardDeadLetters'>;
  readonly listOperatorActions: Does<'listOperatorActions'>;
}

export interface OperationsDeps {
  readonly operatorSessions: OperatorSessions;
  readonly actions: OperatorActions;
  readonly operatorCookie: SessionCookie;
  readonly endpoints: OperatorEndpoints;
  /** For operator endpoints of other services. */
  readonly ask: Broker['ask'];
  /** The public path prefix before `/operator`. */
  readonly base: string;
  readonly log: Log;
  readonly now: () => Date;
}

export interface Sent {
  readonly cookie?: string | undefined;
  readonly 'sec-fetch-dest'?: string | undefined;
  readonly 'caller-address'?: string | undefined;
}

/** The signed-in operator. */
export interface Operator {
  readonly session: Pick<OperatorSessionDocument, 'operator' | 'csrf'>;
  /** Like the call of a request with the operator's token. */
  readonly call: Call;
}

/** The page's script refreshes it even when nobody is looking, which must not extend the session. */
const isAttended = (headers: Sent) => headers['sec-fetch-dest'] !== 'empty';

/** Undefined if nobody is signed in. */
export async function signedIn(
  deps: OperationsDeps,
  headers: Sent,
  call: Call,
): Promise<Operator | undefined> {
  const secret = deps.operatorCookie.read(headers.cookie);
  if (secret === undefined) return undefined;
  const { operatorSessions: sessions, now } = deps;
  const session = await sessions.find(secret, isAttended(headers), now(), deadlineSignal(call));
  return session && { session, call: { ...call, principal: { kind: 'operator', id: 'operator' } } };
}

/** Redirects to the sign-in page. */
export function toSignIn(path: string): PageReply {
  return leadTo(`/operator/sign-in?${new URLSearchParams({ next: path }).toString()}`);
}

interface Action {
  readonly operation: string;
  readonly path: string;
  readonly retailer?: string | null;
  /** The names of the form's fields, without values. */
  readonly fields: readonly string[];
}

/**
 * Records an action in the audit log before it is executed, and its outcome afterwards, as the gateway does for
 * endpoints. If the first record cannot be written, the action is refused; if the second cannot, the outcome is shown as
 * unknown.
 */
export async function audited<T>(
  { actions, now }: OperationsDeps,
  { session, call }: Operator,
  headers: Sent,
  { operation, path, retailer = null, fields }: Action,
  act: () => Promise<T>,
): Promise<T> {
  const at = now().getTime();
  const action = {
    ...{ id: newId(at), at, operator: session.operator, address: headers['caller-address'] ?? '' },
    ...{ operation, method: 'POST', path, retailer, fields: [...fields], request_id: call.requestId },
  };
  const note = (status?: number) =>
    actions.note({ ...action, ...(status !== undefined && { status }) }, deadlineSignal(call));
  await note();
  try {
    const done = await act();
    await note(200).catch(() => undefined);
    return done;
  } catch (error) {
    await note(error instanceof ServiceError ? error.status : 500).catch(() => undefined);
    throw error;
  }
}
