import type { components } from './generated/api';

type ErrorBody = components['schemas']['Error'];

/** The service refused a request, and says why. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A stable word for programs, such as `duplicate_transaction_id`; each has a page at `/docs/errors/{code}`. */
  readonly code: string | undefined;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;

  constructor(
    response: Response,
    /** The whole answer. Some errors carry more, such as the `id` of what exists already. */
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
 * What a call gave, without the wrapping.
 * @throws ApiError when the service refused
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
