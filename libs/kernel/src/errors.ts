/** One fault of a body that breaks its schema: where (a JSON Pointer), a stable code, and a sentence for people. */
export interface FieldFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** An error that a contract can give. `status` is the HTTP status that the public sees. */
export interface ErrorDefinition {
  readonly status: number;
  readonly code?: string;
  readonly description: string;
}

export interface ServiceErrorOptions {
  /** Replaces the definition's public text. Never put internals here. */
  readonly description?: string;
  /** For the log only: never leaves the service. */
  readonly internal?: string;
  readonly errors?: readonly FieldFault[];
  /** Further public members of the error body, such as the `id` of the thing that exists. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** What an error looks like between services. The internal detail stays behind. */
export interface ErrorOnTheWire {
  readonly status: number;
  readonly code?: string;
  readonly description: string;
  readonly errors?: readonly FieldFault[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An expected failure. It is an answer: it is never retried, and its `description` is shown to the
 * caller. Whatever else is thrown is unexpected and becomes a bare 500 or a retry.
 */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly description: string;
  readonly internal: string | undefined;
  readonly errors: readonly FieldFault[] | undefined;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

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
  }

  toWire(): ErrorOnTheWire {
    return {
      status: this.status,
      description: this.description,
      ...(this.code !== undefined && { code: this.code }),
      ...(this.errors && { errors: this.errors }),
      ...(this.extra && { extra: this.extra }),
      ...(this.headers && { headers: this.headers }),
    };
  }

  static fromWire(wire: ErrorOnTheWire): ServiceError {
    const { status, code, description, errors, extra, headers } = wire;
    return new ServiceError(
      { status, description, ...(code !== undefined && { code }) },
      { ...(errors && { errors }), ...(extra && { extra }), ...(headers && { headers }) },
    );
  }
}

/** Errors that any endpoint can give. Contracts declare only what is particular to them. */
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
/** A caller that is confined to consumers asks for something that is not for one of them. */
export const consumerMismatch = {
  status: 403,
  code: 'consumer_mismatch',
  description: "identifier and consumers don't match",
};
export const notFound = { status: 404, code: 'not_found', description: 'not found' };
export const schemaValidationFailed = {
  status: 422,
  code: 'schema_validation_failed',
  description: 'the body does not match the schema',
};
/** A body that is well-formed, but with more in it than anybody needs. The description says of what. */
export const tooMany = { status: 422, code: 'too_many', description: 'the body has too many values' };
export const idempotencyMismatch = {
  status: 409,
  code: 'idempotency_mismatch',
  description: 'the idempotency key was used with another request',
};
export const unavailable = {
  status: 503,
  code: 'unavailable',
  description: 'the service is not available at the moment, try again',
};
