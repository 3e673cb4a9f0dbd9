import { defineCommand, json } from '@receipts/kernel';
import { notedAction } from './operator-action';

/**
 * Records an operator's action for the audit log. The broker must confirm the command before the action starts, so that
 * every action is recorded.
 */
export const recordOperatorAction = defineCommand(
  {
    name: 'admin.record-operator-action',
    summary: 'Record an operator’s action',
    description: 'Internal.',
    body: json(notedAction),
  },
  { oneWay: () => true },
);
