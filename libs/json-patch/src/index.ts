export { applyPatch, checkPatchResult, type PatchRules } from './apply-patch';
export { checkIfMatch, entityTag } from './entity-tag';
export { parsePointer, type Path } from './pointer';
export { isSameJson } from './same-json';
export { applyMergePatch } from './merge-patch';
