/** The gateway's own errors. The errors of owners are declared in their contracts. See docs/interface.md, "Errors". */
export const badRequest = {
  status: 400,
  code: 'bad_request',
  description: 'the request is not well-formed HTTP',
};
export const badEncoding = {
  status: 400,
  code: 'invalid_parameter',
  description: 'the URL is not valid percent-encoded UTF-8',
};
export const unsupportedVersion = {
  status: 400,
  code: 'unsupported_version',
  description: 'service-api-version must be 1 or 2',
};
export const invalidSignature = {
  status: 403,
  code: 'invalid_signature',
  description: 'the URL signature is invalid',
};
export const originNotAllowed = {
  status: 403,
  code: 'origin_not_allowed',
  description: 'pages of this origin are not allowed to use this key',
};
export const routeNotFound = {
  status: 404,
  code: 'not_found',
  description: 'nothing exists at this URL',
};
export const methodNotAllowed = {
  status: 405,
  code: 'method_not_allowed',
  description: 'the method is not allowed here',
};
export const notAcceptable = {
  status: 406,
  code: 'not_acceptable',
  description: 'the response is not available in a media type that the Accept header allows',
};
export const requestTimeout = {
  status: 408,
  code: 'request_timeout',
  description: 'the request did not arrive in time',
};
export const headersTooLarge = {
  status: 413,
  code: 'headers_too_large',
  description: 'a header is too large, or all headers together are',
};
export const queryTooLarge = {
  status: 414,
  code: 'query_too_large',
  description: 'the query string is too large',
};
export const unsupportedMediaType = {
  status: 415,
  code: 'unsupported_media_type',
  description: 'the content type of the body is not supported here',
};
export const expectationFailed = {
  status: 417,
  code: 'expectation_failed',
  description: 'only Expect: 100-continue is supported',
};
export const rateLimited = {
  status: 429,
  code: 'rate_limited',
  description: 'too many requests, try again later',
};
export const internalError = { status: 500, code: 'internal_error', description: 'internal error' };
