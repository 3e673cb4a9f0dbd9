import { jsonPointer } from '@receipts/kernel';
import type { SignedIn } from '../signed-in';

/** A group as a form describes it. */
export interface GroupChange {
  readonly name: string;
  readonly permissions: readonly string[];
  /** The references of the stores that its users may see; null for all, undefined for no change. */
  readonly stores?: readonly string[] | null | undefined;
}

type Operation = Readonly<Record<string, unknown>>;

/** The JSON Patch with which an action changes the retailer. It fails if the groups have changed meanwhile. */
export function groupOperations(
  { retailer }: Pick<SignedIn, 'retailer'>,
  action: string,
  { name, permissions, stores }: GroupChange,
): Operation[] {
  const { portal_groups: groups, portal_permissions: granted } = retailer.settings;
  const inGroups = (index: number | '-') => jsonPointer(['settings', 'portal_groups', index]);
  const inGranted = jsonPointer(['settings', 'portal_permissions', name]);
  const grants = [
    { op: 'add', path: inGranted, value: permissions },
    ...(stores === undefined
      ? []
      : [{ op: 'add', path: jsonPointer(['settings', 'portal_stores', name]), value: stores }]),
  ];
  if (action === 'create') return [{ op: 'add', path: inGroups('-'), value: name }, ...grants];
  const path = inGroups(groups.indexOf(name));
  const test = { op: 'test', path, value: name };
  if (action === 'save') return [test, ...grants];
  // The stores remain, so that the users of a deleted group do not see more than before.
  const revoke = Object.hasOwn(granted, name) ? [{ op: 'remove', path: inGranted }] : [];
  return [test, { op: 'remove', path }, ...revoke];
}
