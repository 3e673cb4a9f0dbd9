import type { adminContracts } from '@receipts/contracts';
import type { Call, ContractShape, Handler, Input } from '@receipts/kernel';
import type { Answer as AnswerOf, AskInput } from '@receipts/messaging';

/** The body of an answer of an operator endpoint. */
export type Answer<K extends keyof typeof adminContracts> = AnswerOf<(typeof adminContracts)[K]>['body'];

/** Calls one of this service's own endpoints, like a call from another service. */
export async function bodyOf<C extends ContractShape>(
  endpoint: Handler<C>,
  input: AskInput<C>,
  call: Call,
): Promise<AnswerOf<C>['body']> {
  const { body } = await endpoint(input as Input<C>, call);
  return body as AnswerOf<C>['body'];
}
