import { adminContracts, type NotedAction } from '@receipts/contracts';
import { newId, ServiceError, type Call } from '@receipts/kernel';
import type { Broker, RawReply, RawRequest } from '@receipts/messaging';
import type { MountedContract } from './mounted-contract';
import type { RequestContext } from './request-context';

const nameHeader = 'service-operator';
const sharedOperator = 'operator';
const nameLengthMax = 100;
const fieldsMax = 50;
const fieldLengthMax = 200;
const internalErrorStatus = 500;
/** Commands of the operator are audited, queries are not. */
const isAction = ({ http, kind }: MountedContract) => http.access === 'operator' && kind === 'command';

/**
 * The names of the body's fields, or the operations and paths of a patch. Values are omitted, as they may be secrets.
 */
function fieldsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return [];
  const names = Array.isArray(body)
    ? body.slice(0, fieldsMax).flatMap((each: unknown) => {
        const { op, path } = (each ?? {}) as { op?: unknown; path?: unknown };
        return typeof op === 'string' && typeof path === 'string' ? [`${op} ${path}`] : [];
      })
    : Object.keys(body);
  return names.slice(0, fieldsMax).map((name) => name.slice(0, fieldLengthMax));
}

/** Whose token it is. With the shared token, the operator may give a name. */
function nameOf({ principal }: Call, given: string | string[] | undefined): string {
  const isShared = principal.id === sharedOperator;
  return isShared && typeof given === 'string' && given !== '' ? given.slice(0, nameLengthMax) : principal.id;
}

interface AuditedRequest {
  readonly context: RequestContext;
  readonly request: RawRequest;
  readonly call: Call;
}

function actionOf(contract: MountedContract, asked: AuditedRequest): NotedAction {
  const { context, request, call } = asked;
  const { req } = context;
  const { id: retailer } = (request.params ?? {}) as { id?: string };
  const name = req.headers[nameHeader];
  return {
    id: call.id,
    at: call.at,
    operator: nameOf(call, name),
    address: context.callerAddress,
    operation: contract.name.slice(contract.name.indexOf('.') + 1),
    method: contract.http.method,
    path: context.path,
    retailer: contract.http.path.startsWith('/operator/retailers/{id}') ? (retailer ?? null) : null,
    fields: fieldsOf(context.body.value),
    request_id: context.requestId,
  };
}

/**
 * Records an operator's action in the audit log before it is executed, and its outcome afterwards. If the first record
 * cannot be written, the action is rejected; if the second record cannot, the outcome is shown as unknown.
 */
export async function audited(
  contract: MountedContract,
  broker: Pick<Broker, 'send'>,
  asked: AuditedRequest,
  act: () => Promise<RawReply>,
): Promise<RawReply> {
  if (!isAction(contract)) return act();
  const action = actionOf(contract, asked);
  const { call } = asked;
  const note = (status?: number) =>
    broker.send(
      adminContracts.recordOperatorAction,
      { body: { ...action, ...(status !== undefined && { status }) } },
      { ...call, id: newId() },
    );
  await note();
  try {
    const reply = await act();
    await note(contract.response?.(reply.meta).status ?? contract.http.success).catch(() => undefined);
    return reply;
  } catch (error) {
    await note(error instanceof ServiceError ? error.status : internalErrorStatus).catch(() => undefined);
    throw error;
  }
}
