import { Client, expectStatus } from './client';
import type { HttpResponse } from './http';
import { passwordLink } from './mails';
import { uniqueId } from './receipts';
import { sharedPlatform } from './shared-platform';

export const portalPassword = 'wholly unguessable words';

export const portalAddress = () => `${uniqueId('portal').toLowerCase()}@demo.example`;
export const textOf = (answer: HttpResponse) => answer.bytes.toString('utf8');
export const locationOf = ({ status, headers }: HttpResponse) => [status, headers.location];
/** The address of the next page of a list. */
export const olderIn = (page: string) =>
  /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
export const tokenOf = (link: string) => link.slice(link.indexOf('=') + 1);

/** A signed-in user of the portal. */
export interface PortalUser {
  readonly email: string;
  readonly cookie: string;
  readonly csrf: string;
}

/** Opens pages and sends forms like a browser without scripts. */
export class PortalVisitor {
  /** Without the check against the API description, because errors of HTML pages are also HTML pages. */
  readonly client = new Client(sharedPlatform().credentials.baseUrl, {});

  submit(path: string, fields: Record<string, string>, cookie = '', headers = {}): Promise<HttpResponse> {
    return this.client.call(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, ...headers },
    });
  }

  /** Sends a form of a signed-in user. @param fields in pairs, if a name occurs several times */
  send(
    path: string,
    fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
    { cookie, csrf }: Pick<PortalUser, 'cookie' | 'csrf'>,
  ): Promise<HttpResponse> {
    const form = new URLSearchParams({ csrf });
    const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
    for (const [name, value] of pairs) form.append(name, value);
    return this.client.call(path, {
      method: 'POST',
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    });
  }

  /** Sends a form with a file, as a browser does. */
  async upload(
    path: string,
    fields: Readonly<Record<string, string>>,
    { cookie, csrf }: Pick<PortalUser, 'cookie' | 'csrf'>,
    file?: Buffer,
  ): Promise<HttpResponse> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ csrf, ...fields })) form.set(name, value);
    form.set('file', new Blob(file ? [new Uint8Array(file)] : []), file ? 'file.bin' : '');
    const encoded = new Response(form);
    const body = Buffer.from(await encoded.arrayBuffer());
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '', cookie };
    return this.client.call(path, { method: 'POST', body, headers });
  }

  get(path: string, { cookie }: Pick<PortalUser, 'cookie'>, query: Record<string, string> = {}) {
    return this.client.get(path, query, { cookie });
  }

  async invited(api: Client, group: string): Promise<{ email: string; link: string }> {
    const email = portalAddress();
    const answer = await api.put(`/portal/user/${email}`, { group, status: 'active' });
    expectStatus(answer, 201);
    return { email, link: await passwordLink(email) };
  }

  /** @returns the cookie of the session */
  async signIn(email: string): Promise<string> {
    const answer = await this.submit('/portal/sign-in', { email, password: portalPassword });
    expectStatus(answer, 303);
    return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  }

  /** A new user with a password, signed in. */
  async user(api: Client, group: string): Promise<PortalUser> {
    const { email, link } = await this.invited(api, group);
    const set = await this.submit('/portal/password', {
      token: tokenOf(link),
      password: portalPassword,
      password_confirmation: portalPassword,
    });
    expectStatus(set, 303);
    const cookie = await this.signIn(email);
    const home = textOf(await this.get('/portal/', { cookie }));
    return { email, cookie, csrf: /name="csrf" value="([^"]+)"/.exec(home)?.[1] ?? '' };
  }
}
