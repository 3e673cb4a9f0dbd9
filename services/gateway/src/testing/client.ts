import { authorization, type ErrorBody, type Harness } from './harness';

export const jsonHeaders = { 'content-type': 'application/json' };

/** A body that the contract of `POST /things` accepts. */
export const goodThing = '{"name":"x","total":1}';

/** A body that the contract of `POST /receipts` accepts. */
export const goodReceipt = {
  transaction_id: 't-1',
  localtime: '2024-05-24T17:14:00',
  total: 5,
  store_reference: 1,
  items: [{ name: 'Tea', quantity: 1, total: 5 }],
};

export interface Refusal extends ErrorBody {
  readonly http: number;
}

/** The error body of a response, with its status as `http`. */
export async function refusal(response: Response): Promise<Refusal> {
  const body = (await response.json()) as ErrorBody;
  expect(body.request_id).toBe(response.headers.get('request-id'));
  return { ...body, http: response.status };
}

/** An authorised caller of a gateway. */
export function clientOf(gateway: () => Harness) {
  return {
    get: (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(gateway().url + path, { headers: { ...authorization(), ...headers } }),
    post: (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(gateway().url + path, {
        method: 'POST',
        headers: { ...authorization(), ...jsonHeaders, ...headers },
        body,
      }),
    answerWith: (body: string, meta: unknown = { id: '1' }): void => {
      gateway().broker.answer = () => ({ meta, body: Buffer.from(body) });
    },
  };
}
