import type { components } from './generated/api';

type ErrorBody = components['schemas']['Error'];

/** The error of a request that the service rejected, with the reason. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A stable code for programs, such as `duplicate_transaction_id`; each has a page at `/docs/errors/{code}`. */
  readonly code: string | undefined;
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined;

  constructor(
    response: Response,
    /** The whole response. Some errors contain further members, such as the `id` of the existing object. */
    readonly body: Partial<ErrorBody> & Readonly<Record<string, unknown>>,
  ) {
    const faults = (body.errors ?? []).map(({ path, message }) => `; ${path} ${message}`).join('');
    super(`${response.status} ${body.description ?? response.statusText}${faults}`);
    this.status = response.status;
    this.code = body.code;
    this.requestId = body.request_id ?? response.headers.get('request-id') ?? undefined;
  }
}

interface Result<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The data of a response.
 * @throws ApiError if the service rejected the request
 */
export async function dataOf<T>(call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  const isObject = typeof error === 'object' && error !== null;
  throw new ApiError(
    response,
    isObject ? (error as Record<string, unknown>) : { description: typeof error === 'string' ? error : '' },
  );
}
