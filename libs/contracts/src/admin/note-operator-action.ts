import { defineCommand, json } from '@receipts/kernel';
import { notedAction } from './operator-action';

/** The broker has it in safety before the action itself is begun, so that nothing is done without a trace. */
export const noteOperatorAction = defineCommand({
  name: 'admin.note-operator-action',
  summary: 'Note what the operator does',
  description: 'Internal.',
  body: json(notedAction),
});
