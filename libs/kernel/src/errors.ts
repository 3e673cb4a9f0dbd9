import { z } from 'zod';

/** A violation of a body's schema: its location (a JSON Pointer), a stable code, and a message for people. */
export interface FieldFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** An error of a contract. `status` is the public HTTP status. */
export interface ErrorDefinition {
  readonly status: number;
  readonly code?: string;
  readonly description: string;
}

/** An error as an HTML page, for a person who followed a link. */
export interface ErrorPage {
  readonly html: string;
  readonly language: string;
  readonly contentSecurityPolicy: string;
}

export interface ServiceErrorOptions {
  /** Replaces the definition's public text. It must not contain internals. */
  readonly description?: string;
  /** For the log only; it never leaves the service. */
  readonly internal?: string;
  readonly errors?: readonly FieldFault[];
  /** Further public members of the error body, such as the `id` of an existing document. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For callers that prefer HTML. If it is missing, they get a plain page with the description. */
  readonly page?: ErrorPage;
  readonly cause?: unknown;
}

/** An error as sent in messages between services, without the internal detail. */
export type SerializedError = ErrorDefinition &
  Pick<ServiceErrorOptions, 'errors' | 'extra' | 'headers' | 'page'>;

/** An error that is part of an internal response. */
export const serializedError = z.object({
  status: z.int(),
  code: z.string().optional(),
  description: z.string(),
  errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
}) as unknown as z.ZodType<SerializedError, SerializedError>;

/**
 * An expected failure. It is a regular reply, and its `description` is shown to the caller. Any other thrown error is
 * unexpected and becomes a bare 500 or a retry.
 */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly description: string;
  readonly internal: string | undefined;
  readonly errors: readonly FieldFault[] | undefined;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly page: ErrorPage | undefined;

  constructor(definition: ErrorDefinition, options: ServiceErrorOptions = {}) {
    const description = options.description ?? definition.description;
    super(options.internal === undefined ? description : `${description} (${options.internal})`, {
      cause: options.cause,
    });
    this.name = 'ServiceError';
    this.status = definition.status;
    this.code = definition.code;
    this.description = description;
    this.internal = options.internal;
    this.errors = options.errors;
    this.extra = options.extra;
    this.headers = options.headers;
    this.page = options.page;
  }

  toWire(): SerializedError {
    return {
      status: this.status,
      description: this.description,
      ...(this.code !== undefined && { code: this.code }),
      ...(this.errors && { errors: this.errors }),
      ...(this.extra && { extra: this.extra }),
      ...(this.headers && { headers: this.headers }),
      ...(this.page && { page: this.page }),
    };
  }

  static fromWire(wire: SerializedError): ServiceError {
    return new ServiceError(wire, wire);
  }
}

/** An error after which the caller may try again in a second. */
export function retrySoon(definition: ErrorDefinition, options: ServiceErrorOptions = {}): ServiceError {
  return new ServiceError(definition, { ...options, headers: { 'retry-after': '1', ...options.headers } });
}

/** The result of a request; undefined if it failed with one of these statuses. */
export async function unlessStatus<T>(
  request: Promise<T>,
  ...statuses: readonly number[]
): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ServiceError && statuses.includes(error.status)) return undefined;
    throw error;
  }
}

/** Errors that any endpoint can return. Contracts declare only their specific errors. */
export const malformedBody = {
  status: 400,
  code: 'malformed_body',
  description: 'the body is not valid JSON',
};
export const invalidParameter = {
  status: 400,
  code: 'invalid_parameter',
  description: 'a parameter is invalid',
};
export const unauthorized = {
  status: 401,
  code: 'unauthorized',
  description: 'credentials are missing or invalid',
};
export const permissionDenied = { status: 403, code: 'permission_denied', description: 'permission denied' };
/** The error for a caller that lacks permissions. */
export function permissionNeeded(...permissions: readonly string[]): ServiceError {
  const verb = permissions.length === 1 ? 'is' : 'are';
  const description = `permission denied: ${permissions.join(', ')} ${verb} required`;
  return new ServiceError(permissionDenied, { description });
}
/** The error for a caller that is restricted to stores, regardless of its permissions. */
export function storesDenied(): ServiceError {
  const description = 'permission denied: a user who is restricted to stores cannot do this';
  return new ServiceError(permissionDenied, { description });
}
/** A caller that is restricted to consumers requests data that does not belong to one of them. */
export const consumerMismatch = {
  status: 403,
  code: 'consumer_mismatch',
  description: "identifier and consumers don't match",
};
/**
 * A caller that is restricted to consumers, or must name a consumer, requests data of all of a retailer's consumers.
 */
export const consumerNotAllowed = {
  ...consumerMismatch,
  description: 'a client or signature that is restricted to consumers cannot be used here',
};
export const notFound = { status: 404, code: 'not_found', description: 'not found' };
export const bodyTooLarge = { status: 413, code: 'body_too_large', description: 'the body is too large' };
/** The error for a part of a request that exceeds its limit. */
export function tooLarge(definition: ErrorDefinition, part: string, bytesMax: number): ServiceError {
  return new ServiceError(definition, { description: `${part} is larger than ${bytesMax} bytes` });
}
export const schemaValidationFailed = {
  status: 422,
  code: 'schema_validation_failed',
  description: 'the body does not match the schema',
};
/**
 * A well-formed body with more values than any legitimate request has. The description states which part exceeds the
 * limit.
 */
export const tooMany = { status: 422, code: 'too_many', description: 'the body has too many values' };
export const idempotencyMismatch = {
  status: 409,
  code: 'idempotency_mismatch',
  description: 'the idempotency key was used with another request',
};
export const unavailable = {
  status: 503,
  code: 'unavailable',
  description: 'the service is temporarily unavailable, try again',
};
