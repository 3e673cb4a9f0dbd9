import { ApiError, createReceiptsClient, dataOf, type paths, type ReceiptsClient } from '@receipts/client';
import { isSameJson } from '@receipts/json-patch';

type PostedJson<P extends { post: { requestBody: { content: { 'application/json': unknown } } } }> =
  P['post']['requestBody']['content']['application/json'];
type PostedClient = PostedJson<paths['/operator/retailers/{id}/clients/{authentication}']>;
export type Mapping = PostedJson<paths['/pos/mappings']>;

/** The desired state of a retailer. */
export interface RetailerDeclaration {
  readonly retailer: PostedJson<paths['/operator/retailers']>;
  readonly stores: readonly PostedJson<paths['/stores']>[];
  readonly clients: Readonly<Record<'bearer' | 'hmac', PostedClient>>;
  /** Cards with their registration codes. */
  readonly cards: readonly object[];
}

export interface ProvisionedCredentials {
  readonly bearer: { readonly kid: string; readonly secret: string; readonly token: string };
  readonly urlSignature: { readonly key: string; readonly secret: string };
}

const isRefusal = (status: number) => (error: unknown) => {
  if (error instanceof ApiError && error.status === status) return undefined;
  throw error;
};
const missing = isRefusal(404);
const existing = isRefusal(409);

/** Creates the missing parts of a declaration, with the operator's token. Existing parts are not changed. */
export class Provisioning {
  private readonly operator: ReceiptsClient;

  constructor(
    private readonly baseUrl: string,
    operatorToken: string,
    private readonly declaration: RetailerDeclaration,
  ) {
    this.operator = createReceiptsClient({ baseUrl, credential: { token: operatorToken } });
  }

  /**
   * @param earlier the credentials of an earlier run; they are kept while they are valid
   * @throws ApiError if the platform rejects a request
   */
  async provision(
    earlier: ProvisionedCredentials | undefined,
    mappings: readonly Mapping[],
  ): Promise<ProvisionedCredentials> {
    const kept = earlier && (await this.areValid(earlier)) ? earlier : undefined;
    if (!kept) await this.ensureRetailer();
    const credentials = kept ?? (await this.newCredentials());
    const api = this.clientWith(credentials.bearer.token);
    for (const body of this.declaration.stores) await dataOf(api.POST('/stores', { body })).catch(existing);
    for (const mapping of mappings) await ensureMapping(api, mapping);
    return credentials;
  }

  private clientWith(token: string): ReceiptsClient {
    return createReceiptsClient({ baseUrl: this.baseUrl, credential: { token } });
  }

  private async areValid({ bearer, urlSignature }: ProvisionedCredentials): Promise<boolean> {
    const signing = createReceiptsClient({ baseUrl: this.baseUrl, credential: urlSignature });
    const answers = await Promise.all(
      [this.clientWith(bearer.token), signing].map((client) => client.GET('/stores')),
    );
    return answers.every(({ response }) => response.ok);
  }

  private async ensureRetailer(): Promise<void> {
    const { retailer, cards } = this.declaration;
    const params = { path: { id: retailer.id } };
    const found = await dataOf(this.operator.GET('/operator/retailers/{id}', { params })).catch(missing);
    if (!found) await dataOf(this.operator.POST('/operator/retailers', { body: retailer })).catch(existing);
    const body = JSON.stringify(cards);
    const headers = { 'Content-Type': 'application/json' };
    await dataOf(
      this.operator.PUT('/operator/retailers/{id}/cards', { params, body, bodySerializer: String, headers }),
    );
  }

  private async newCredentials(): Promise<ProvisionedCredentials> {
    const { id, key: kid, secret } = await this.newClient('bearer');
    const hmac = await this.newClient('hmac');
    const api = createReceiptsClient({ baseUrl: this.baseUrl, credential: { kid, secret } });
    const params = { path: { client_id: id } };
    const { token } = await dataOf(api.POST('/clients/bearer/{client_id}/tokens', { params, body: {} }));
    if (token === null) return this.newCredentials();
    return { bearer: { kid, secret, token }, urlSignature: { key: hmac.key, secret: hmac.secret } };
  }

  /** The response to a retry has no secret; in that case, another client is created. */
  private async newClient(
    authentication: 'bearer' | 'hmac',
  ): Promise<{ readonly id: number; readonly key: string; readonly secret: string }> {
    const { retailer, clients } = this.declaration;
    const { id, key, secret } = await dataOf(
      this.operator.POST('/operator/retailers/{id}/clients/{authentication}', {
        params: { path: { id: retailer.id, authentication } },
        body: clients[authentication],
      }),
    );
    return secret === null ? this.newClient(authentication) : { id, key, secret };
  }
}

/** Creates and activates a mapping, unless its newest version is the same and active. */
async function ensureMapping(api: ReceiptsClient, mapping: Mapping): Promise<void> {
  const params = { path: { id: mapping.id } };
  const newest = await dataOf(api.GET('/pos/mappings/{id}', { params })).catch(missing);
  const { version: _, status, ...found } = newest ?? {};
  const isSame = isSameJson(mapping, found);
  if (isSame && status === 'active') return;
  if (!isSame) await dataOf(api.POST('/pos/mappings', { body: mapping }));
  await dataOf(api.POST('/pos/mappings/{id}/_activate', { params, body: {} }));
}
