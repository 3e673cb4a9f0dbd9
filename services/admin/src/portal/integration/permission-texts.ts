import {
  adminContracts,
  deliveryContracts,
  everyPermission,
  identifierContracts,
  ingestContracts,
  permissionNames,
  receiptStoreContracts,
  transformContracts,
} from '@receipts/contracts';
import type { Contract } from '@receipts/kernel';

const contracts = [
  receiptStoreContracts,
  ingestContracts,
  deliveryContracts,
  identifierContracts,
  adminContracts,
  transformContracts,
].flatMap((owned) => Object.values(owned) as unknown as Contract[]);

/** The permissions that no endpoint is named after. */
const others: Readonly<Record<string, string>> = {
  [everyPermission]: 'Everything, including what later releases add',
  'view.unassign_receipt': 'Remove the consumer of a receipt with a patch',
};

function textOf(permission: string): string {
  const summaries = contracts.filter((contract) => contract.permission === permission);
  return others[permission] ?? [...new Set(summaries.map(({ summary }) => summary))].join('; ');
}

/** What each permission allows, as the summaries of its endpoints. */
export const permissionTexts: readonly { readonly permission: string; readonly text: string }[] =
  permissionNames.map((permission) => ({ permission, text: textOf(permission) }));
