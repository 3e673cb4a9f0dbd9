import type { Operations } from '../open-operations';
import { newId, ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { OperatorSessionDocument } from '../storage/operator-sessions';

export interface SentHeaders {
  readonly cookie?: string | undefined;
  readonly 'sec-fetch-dest'?: string | undefined;
  readonly 'caller-address'?: string | undefined;
}

/** The signed-in operator. */
export interface Operator {
  readonly session: Pick<OperatorSessionDocument, 'operator' | 'csrf'>;
  /** Acts like a request with the operator's token. */
  readonly call: Call;
}

/** A page's script refreshes the page even if nobody views it. Such requests must not extend the session. */
const isAttended = (headers: SentHeaders) => headers['sec-fetch-dest'] !== 'empty';

/** Undefined if no operator is signed in. */
export async function signedIn(
  deps: Operations,
  headers: SentHeaders,
  call: Call,
): Promise<Operator | undefined> {
  const secret = deps.operatorCookie.read(headers.cookie);
  if (secret === undefined) return undefined;
  const { operatorSessions: sessions, now } = deps;
  const session = await sessions.find(secret, isAttended(headers), now(), deadlineSignal(call));
  return session && { session, call: { ...call, principal: { kind: 'operator', id: session.operator } } };
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
 * endpoints. If the first record cannot be written, the action is rejected; if the second record cannot, the outcome is
 * shown as unknown.
 */
export async function audited<T>(
  { actions, now }: Operations,
  { session, call }: Operator,
  headers: SentHeaders,
  { operation, path, retailer = null, fields }: Action,
  act: () => Promise<T>,
): Promise<T> {
  const at = now().getTime();
  const action = {
    id: newId(at),
    at,
    operator: session.operator,
    address: headers['caller-address'] ?? '',
    operation,
    method: 'POST',
    path,
    retailer,
    fields: [...fields],
    request_id: call.requestId,
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
