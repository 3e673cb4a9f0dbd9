/** The cause of an error and its solution, in Markdown with inline code. */
export interface Advice {
  readonly cause: string;
  readonly cure: string;
}

/** By error code: the errors that any operation can have. */
export const generalErrorAdvice: Readonly<Record<string, Advice>> = {
  bad_request: {
    cause:
      'The request violates RFC 9112, or two servers could read it differently: two `Host` headers, two `Authorization` headers, an unknown transfer coding.',
    cure: 'Use an HTTP library, and check what proxies add. The connection is closed, so open a new connection.',
  },
  body_too_large: {
    cause:
      'The body exceeds the size limit of the operation, or the receipt would exceed the limit of stored receipts.',
    cure: 'Upload large data as an attachment and refer to it. Do not retry the request unchanged.',
  },
  expectation_failed: {
    cause: 'The `Expect` header contains something other than `100-continue`.',
    cure: 'Remove the header, or send `Expect: 100-continue`.',
  },
  headers_too_large: {
    cause: 'One header exceeds 8 KiB, or all headers together exceed 32 KiB.',
    cure: 'Send fewer cookies and shorter headers.',
  },
  idempotency_mismatch: {
    cause: 'This `Idempotency-Key` was used with a different request in the last 24 hours.',
    cure: 'Use a new key for each new request. When you retry a request, send the same body byte for byte.',
  },
  internal_error: {
    cause: 'The platform has a defect.',
    cure: 'Report the `request_id`. Operators can use it to find the error in the logs.',
  },
  invalid_parameter: {
    cause: 'A query parameter, a header or a part of the path is unknown, repeated, or has an invalid value.',
    cure: 'Correct the parameters that are listed in `errors`. Unknown parameters are rejected, so that a typo does not return more data than you asked for.',
  },
  malformed_body: {
    cause: 'The body is empty, incomplete, not valid UTF-8, not valid JSON, or nests deeper than 32 levels.',
    cure: 'Write it with a JSON library, and send it as UTF-8 with its full length.',
  },
  not_acceptable: {
    cause: 'The `Accept` header excludes every media type that this operation can return.',
    cure: 'Remove the header, or accept one of the documented types.',
  },
  not_found: {
    cause: 'Nothing exists at this URL for your retailer. Data of other retailers appears not to exist.',
    cure: 'Check the path and the id. Paths are case-sensitive and have no trailing slash.',
  },
  permission_denied: {
    cause:
      'The credential lacks a permission, tries to grant permissions that it lacks, or tries to change a client that has more.',
    cure: 'Use a client with the permissions that are stated in the description.',
  },
  precondition_failed: {
    cause: 'The resource has changed since you read the `ETag` in your `If-Match`.',
    cure: 'Read it again, and repeat the change with the new `ETag`.',
  },
  query_too_large: {
    cause: 'The query string is longer than 4 KiB.',
    cure: 'Request fewer values at a time.',
  },
  rate_limited: {
    cause: 'You have sent too many requests of this kind in a short time.',
    cure: 'Wait for the number of seconds in `Retry-After`, then retry the request.',
  },
  request_timeout: {
    cause: 'The request did not arrive completely within the time limit.',
    cure: 'Retry it on a new connection. For large bodies on slow connections, upload attachments separately.',
  },
  schema_validation_failed: {
    cause: 'The body is valid JSON, but does not match the documented schema.',
    cure: 'Correct each fault in `errors`, which states the path. Unknown members are faults as well.',
  },
  unauthorized: {
    cause:
      'The request has no credential, or the token is malformed, expired, revoked, issued in the future or signed with another secret, or it names an unknown key.',
    cure: 'Send `Authorization: Bearer <token>`, signed with HS256 and the decoded secret, with the `kid` of the client.',
  },
  unavailable: {
    cause: 'A part of the platform is down or overloaded. The request may still have been executed.',
    cure: 'Retry it after `Retry-After` seconds, with the same `Idempotency-Key` or `transaction_id`.',
  },
  unsupported_media_type: {
    cause: 'The operation does not support the `Content-Type`, its charset, or a `Content-Encoding`.',
    cure: 'Send a documented type in UTF-8 without compression. A patch is `application/json-patch+json`.',
  },
  unsupported_version: {
    cause: '`service-api-version` is neither `1` nor `2`.',
    cure: 'Send `1` or `2`, or remove the header to get version 1.',
  },
};
