import type { adminContracts } from '@receipts/contracts';
import type { Call, ContractShape, Handler, Input } from '@receipts/kernel';
import type { Answer as AnswerOf, AskInput } from '@receipts/messaging';

/** What an endpoint of the operator answers. */
export type Answer<K extends keyof typeof adminContracts> = AnswerOf<(typeof adminContracts)[K]>['body'];

/** Asks one of our own endpoints, as another service would be asked. */
export async function bodyOf<C extends ContractShape>(
  endpoint: Handler<C>,
  input: AskInput<C>,
  call: Call,
): Promise<AnswerOf<C>['body']> {
  const { body } = await endpoint(input as Input<C>, call);
  return body as AnswerOf<C>['body'];
}
