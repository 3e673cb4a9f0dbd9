import { randomUUID } from 'node:crypto';
import {
  adminContracts,
  authentications,
  cardContracts,
  type Authentication,
  type CardWithCode,
  type PostedClient,
  type PostedStore,
} from '@receipts/contracts';
import { newId, ServiceError, type Call, type Contract } from '@receipts/kernel';
import type { Answer, AskInput, Broker } from '@receipts/messaging';
import { verify } from 'jsonwebtoken';

/** The wanted state of a retailer. Clients are identified by their description, stores by their reference. */
export interface RetailerDeclaration {
  readonly retailer: { readonly id: string } & Readonly<Record<string, unknown>>;
  readonly stores: readonly (PostedStore & { readonly reference: number })[];
  readonly clients: Readonly<Record<Authentication, PostedClient>>;
  /** Cards with their registration codes, if the retailer uses card verification. */
  readonly cards?: readonly CardWithCode[];
}

export interface ProvisionedCredentials {
  readonly bearer: { readonly kid: string; readonly secret: string; readonly token: string };
  readonly urlSignature: { readonly key: string; readonly secret: string };
}

type SecretClient = Pick<Answer<typeof adminContracts.patchClient>['body'], 'id' | 'key' | 'secret'>;

const answerTimeoutMs = 5_000;
const attemptsMax = 10;
const retryDelayMs = 500;
const pageCount = 100;

/**
 * Creates what a declaration asks for and does not exist yet; existing things stay as they are. It sends the operator's
 * commands to admin over the broker.
 */
export class Provisioning {
  private readonly run = randomUUID();

  constructor(
    private readonly broker: Pick<Broker, 'ask'>,
    private readonly declaration: RetailerDeclaration,
  ) {}

  /**
   * @param earlierToken a token of an earlier run; it is reused while it is valid
   * @throws ServiceError when admin refuses, or cannot be reached for long
   */
  async provision(earlierToken: string | undefined): Promise<ProvisionedCredentials> {
    await this.ensureRetailer();
    for (const store of this.declaration.stores) await this.ensureStore(store);
    await this.importCards();
    const clients = {} as Record<Authentication, SecretClient>;
    for (const authentication of authentications) {
      clients[authentication] = await this.ensureClient(authentication);
    }
    const { bearer, hmac } = clients;
    const token = await this.ensureToken(bearer, earlierToken);
    return {
      bearer: { kid: bearer.key, secret: bearer.secret, token },
      urlSignature: { key: hmac.key, secret: hmac.secret },
    };
  }

  private get retailer(): string {
    return this.declaration.retailer.id;
  }

  private async ensureRetailer(): Promise<void> {
    const found = await this.orMissing(
      this.ask(adminContracts.getRetailer, { params: { id: this.retailer } }),
    );
    if (found) return;
    const body = this.declaration.retailer as never;
    await this.orExisting(this.ask(adminContracts.createRetailer, { body }, 'retailer'));
  }

  private async ensureStore(store: RetailerDeclaration['stores'][number]): Promise<void> {
    const reference = String(store.reference);
    const found = await this.orMissing(this.ask(adminContracts.getStore, { params: { reference } }));
    if (!found)
      await this.orExisting(this.ask(adminContracts.createStore, { body: store }, `store ${reference}`));
  }

  /** Importing the same cards again changes nothing. */
  private async importCards(): Promise<void> {
    const { cards } = this.declaration;
    if (!cards || cards.length === 0) return;
    const body = Buffer.from(JSON.stringify(cards));
    const params = { id: this.retailer };
    await this.ask(cardContracts.importCards, { params, body, contentType: 'application/json' });
  }

  private async ensureClient(authentication: Authentication): Promise<SecretClient> {
    const wanted = this.declaration.clients[authentication];
    let id = await this.clientDescribedAs(authentication, wanted.description);
    if (id === undefined) {
      const params = { id: this.retailer, authentication };
      const made = await this.ask(adminContracts.createFirstClient, { params, body: wanted }, authentication);
      const { secret, ...client } = made.body;
      if (secret !== null) return { ...client, secret };
      id = client.id;
    }
    // The answer to a patch contains the secret, and an empty patch changes nothing.
    const params = { authentication, client_id: String(id) };
    const body = { description: wanted.description };
    return (await this.ask(adminContracts.patchClient, { params, body })).body;
  }

  /** The oldest client with that description that is not revoked. */
  private async clientDescribedAs(
    authentication: Authentication,
    description: string,
  ): Promise<number | undefined> {
    let found: number | undefined;
    let older: number | undefined;
    for (;;) {
      const query = { count: pageCount, ...(older !== undefined && { older }) };
      const { body } = await this.ask(adminContracts.listClients, { params: { authentication }, query });
      for (const client of body.clients) {
        if (client.description === description && !client.revoked) found = client.id;
      }
      older = body.clients.at(-1)?.id;
      if (!body._links.next || older === undefined) return found;
    }
  }

  private async ensureToken(bearer: SecretClient, earlier: string | undefined): Promise<string> {
    const params = { client_id: String(bearer.id) };
    const jti = earlier && jtiOf(earlier, bearer);
    if (jti && (await this.isValid(params, jti))) return earlier;
    const issue = async (step?: string) =>
      (await this.ask(adminContracts.issueToken, { params, body: {} }, step)).body.token;
    // The answer to a repeated call does not contain the token; then another one is issued.
    const token = (await issue('token')) ?? (await issue());
    if (token === null) throw new Error('admin returned no token');
    return token;
  }

  private async isValid(params: { client_id: string }, jti: string): Promise<boolean> {
    const query = { count: pageCount };
    const { body } = await this.ask(adminContracts.listTokens, { params, query });
    return body.tokens.some((token) => token.jti === jti && !token.revoked);
  }

  /** @param step identifies a creation, so that a repetition after a lost answer does not create a second one */
  private async ask<C extends Contract>(contract: C, input: AskInput<C>, step?: string): Promise<Answer<C>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.broker.ask(contract, input, this.callOf(step));
      } catch (error) {
        const isPassing = error instanceof ServiceError && error.status === 503;
        if (!isPassing || attempt >= attemptsMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      }
    }
  }

  private callOf(step: string | undefined): Call {
    const at = Date.now();
    const id = newId(at);
    return {
      id,
      requestId: id,
      retailer: this.retailer,
      principal: { kind: 'operator', id: 'operator' },
      deadline: at + answerTimeoutMs,
      ...(step !== undefined && { idempotencyKey: `provision ${this.run} ${step}` }),
      at,
    };
  }

  private async orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
    return answer.catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    });
  }

  /** Another run may have created it first. */
  private async orExisting(answer: Promise<unknown>): Promise<void> {
    await answer.catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.status === 409)) throw error;
    });
  }
}

/** The `jti` of a token that was signed with this client's secret; undefined for any other token. */
function jtiOf(token: string, { key, secret }: SecretClient): string | undefined {
  try {
    const { header, payload } = verify(token, Buffer.from(secret, 'base64'), {
      algorithms: ['HS256'],
      complete: true,
    });
    return header.kid === key && typeof payload === 'object' ? payload.jti : undefined;
  } catch {
    return undefined;
  }
}
