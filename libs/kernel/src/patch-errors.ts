/** The errors of a JSON Patch (RFC 6902), common to all patchable resources. */
export const malformedPatch = {
  status: 400,
  code: 'malformed_patch',
  description: 'the body is not a JSON Patch document',
};
export const patchNotApplicable = {
  status: 422,
  code: 'patch_not_applicable',
  description: 'an operation of the patch cannot be applied',
};
export const fieldNotModifiable = {
  status: 422,
  code: 'field_not_modifiable',
  description: 'the patch changes a field that cannot be changed',
};
export const patchTestFailed = {
  status: 409,
  code: 'patch_test_failed',
  description: 'a test operation of the patch failed',
};
/** RFC 9110 section 13.1.1: the resource is no longer in the state that the caller has seen. */
export const preconditionFailed = {
  status: 412,
  code: 'precondition_failed',
  description: 'the entity tag does not match',
};
/** Too many concurrent writes to the same resource. Nothing was changed, and a retry may succeed. */
export const concurrentWrite = {
  status: 409,
  code: 'conflict',
  description: 'the resource was changed concurrently, try again',
};

/** All errors of a patch. */
export const patchErrors = [
  malformedPatch,
  patchNotApplicable,
  fieldNotModifiable,
  patchTestFailed,
  preconditionFailed,
  concurrentWrite,
] as const;
