import { inCanonicalLanguages, patchedRetailer, retailerSettings, type Retailer } from '@receipts/contracts';
import { applyMergePatch, applyPatch, checkIfMatch, type Path } from '@receipts/json-patch';
import { check, fieldNotModifiable, ServiceError } from '@receipts/kernel';

/** A stored retailer. */
export interface RetailerRecord extends Retailer {
  /** The order of creation. */
  readonly number: number;
}

/** The retailer as returned to other services. */
export function retailerOf({ number: _number, ...retailer }: RetailerRecord): Retailer {
  return retailer;
}

/** The retailer as returned to the operator. */
export function operatorRetailerOf({ id, name, vatno, settings }: Retailer): Omit<Retailer, 'version'> {
  return { id, name, vatno, settings };
}

/** @param posted validated against its schema, but without the defaults of its settings */
export function newRetailer(
  posted: {
    readonly id: string;
    readonly name: string;
    readonly vatno?: string | null | undefined;
    readonly settings?: unknown;
  },
  number: number,
): RetailerRecord {
  const { id, name, vatno, settings } = posted;
  return {
    id,
    name,
    vatno: vatno ?? null,
    settings: check(retailerSettings, settings ?? {}),
    version: 1,
    number,
  };
}

const jsonPatchType = 'application/json-patch+json';

function isModifiable([field]: Path): boolean {
  return field !== undefined && field !== 'id';
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes a value inside objects; a patch that does not have it stays as it is. */
function changedAt(value: unknown, path: Path, change: (members: object) => object): unknown {
  if (!isObject(value)) return value;
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  return Object.hasOwn(value, name) ? { ...value, [name]: changedAt(value[name], rest, change) } : value;
}

/** A merge patch of `FR` changes or removes the texts of `fr`. */
const inStoredLanguages = (patch: unknown): unknown =>
  changedAt(patch, ['settings', 'brand', 'translations'], (translations) =>
    inCanonicalLanguages({ ...translations }),
  );

/**
 * Applies a JSON Patch, or a JSON Merge Patch if the media type is not that of JSON Patch, to the retailer as returned
 * by GET.
 * @returns the same object if nothing changes
 * @throws ServiceError 412, 400 `malformed_patch`, 409, 422 with every error of the result
 */
export function patchRetailer(
  current: RetailerRecord,
  patch: { readonly body: unknown; readonly contentType: string | undefined },
  ifMatch: string | undefined,
): RetailerRecord {
  checkIfMatch(ifMatch, current.version);
  const before = operatorRetailerOf(current);
  const result =
    patch.contentType === jsonPatchType
      ? applyPatch(before, patch.body, { isModifiable })
      : applyMergePatch(before, inStoredLanguages(patch.body));
  const { id, name, vatno, settings } = check(patchedRetailer, result);
  if (id !== current.id) throw new ServiceError(fieldNotModifiable);
  const after = { id, name, vatno: vatno ?? null, settings };
  if (JSON.stringify(after) === JSON.stringify(before)) return current;
  return { ...current, ...after, version: current.version + 1 };
}

/** Whether a change removes a dynamic field or changes its type, so that stored filters may become invalid. */
export function withdrawsFields(before: Retailer, after: Retailer): boolean {
  const [old, { receipt, item }] = [before.settings.dynamic_fields, after.settings.dynamic_fields];
  const isWithdrawn = (from: Readonly<Record<string, string>>, to: Readonly<Record<string, string>>) =>
    Object.entries(from).some(([name, type]) => to[name] !== type);
  return isWithdrawn(old.receipt, receipt) || isWithdrawn(old.item, item);
}
