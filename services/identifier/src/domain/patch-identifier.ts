import { patchedIdentifier, type Identifier } from '@receipts/contracts';
import { applyPatch, checkPatchResult, type Path } from '@receipts/json-patch';
import { check } from '@receipts/kernel';

type Properties = Readonly<Record<string, unknown>>;

/** The caller's parsed patch, and the media type that determines its meaning. */
export interface IdentifierPatch {
  readonly body: unknown;
  readonly contentType: string | undefined;
}

const optOut = 'opt-out';
const added = 'opt-out+=';
const removed = 'opt-out-=';

function isModifiable([field]: Path): boolean {
  return field === 'properties';
}

const tagsOf = (properties: Properties, key: string): readonly string[] =>
  Object.hasOwn(properties, key) ? (properties[key] as readonly string[]) : [];

/**
 * The deprecated format: members replace those of the same name, and two special members add and remove opt-out tags.
 */
function amended(before: Properties, amendments: Properties): Properties {
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(amendments)) {
    if (key !== added && key !== removed) after.set(key, value);
  }
  if (Object.hasOwn(amendments, added) || Object.hasOwn(amendments, removed)) {
    const gone = new Set(tagsOf(amendments, removed));
    const tags = [...tagsOf(before, optOut), ...tagsOf(amendments, added)];
    after.set(
      optOut,
      [...new Set(tags)].filter((tag) => !gone.has(tag)),
    );
  }
  return Object.fromEntries(after);
}

/**
 * The properties after a patch.
 * @param identifier as returned by GET: a JSON Patch may test and copy all members
 * @throws ServiceError the errors of `applyPatch`, and 422 `schema_validation_failed` if the result violates the schema
 */
export function patchIdentifier(identifier: Identifier, { body, contentType }: IdentifierPatch): Properties {
  const result =
    contentType === 'application/json'
      ? checkPatchResult({
          properties: amended(identifier.properties, (body as { properties: Properties }).properties),
        })
      : applyPatch(identifier, body, { isModifiable });
  return check(patchedIdentifier, result).properties ?? {};
}
