import { postedMapping, type patchMapping as contract } from '@receipts/contracts';
import { applyPatch, checkIfMatch } from '@receipts/json-patch';
import { check, type Handler } from '@receipts/kernel';
import { saveVersion } from './create-mapping';
import { findMapping } from './find-mapping';
import type { Dependencies } from './dependencies';

const fixedMembers = new Set(['id', 'version', 'status']);

/** The root contains the fixed members, so it cannot be replaced either. */
const isModifiable = ([member]: readonly string[]) => member !== undefined && !fixedMembers.has(member);

/** Creates the next version of a mapping by patching the newest. */
export function patchMapping(deps: Dependencies): Handler<typeof contract> {
  return async ({ params, headers, body }, call) => {
    // If the call is executed again, the newest version may be the call's own.
    const own = await deps.mappings.versionBy(call.retailer, params.id, call);
    if (own) return saveVersion(deps, own.posted, call);
    const { document } = await findMapping(deps, call, params.id);
    checkIfMatch(headers['if-match'], document.version);
    const patched = applyPatch(document, body, { isModifiable });
    const { version, status: _status, ...rest } = patched as typeof document;
    return saveVersion(deps, check(postedMapping, rest), call, version);
  };
}
