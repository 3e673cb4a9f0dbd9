import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

interface Registration {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** A real OpenID Connect provider, in a process of its own. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Completes the provider, once the addresses of its client are known. */
  register(client: Registration): Promise<void>;
  /** Signs in like a person in a browser. @returns the address to which the provider sends the browser at the end */
  signIn(address: string, email: string): Promise<URL>;
  stop(): void;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const script = path.join(process.cwd(), 'test-e2e/harness/identity-provider-process.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const issuer = await nextLine();
  return {
    issuer,
    async register(client) {
      child.stdin.write(`${JSON.stringify(client)}\n`);
      await nextLine();
    },
    signIn: (address, email) => signInAt(issuer, address, email),
    stop: () => child.kill(),
  };
}

/** Follows the provider's redirects, and fills in its two forms, for signing in and for consent. */
async function signInAt(issuer: string, address: string, email: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const send = async (url: string, fields?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    return { text: await response.text(), next: location === null ? undefined : new URL(location, url) };
  };
  let url = address;
  for (let step = 0; step < 20; step++) {
    let { text, next } = await send(url);
    if (!next) {
      const prompt = text.includes('name="login"') ? 'login' : 'consent';
      ({ text, next } = await send(url, {
        prompt,
        ...(prompt === 'login' && { login: email, password: 'x' }),
      }));
    }
    if (!next) throw new Error(`the identity provider answers: ${text.slice(0, 500)}`);
    if (next.origin !== issuer) return next;
    url = next.href;
  }
  throw new Error('the identity provider redirects for ever');
}
