import { sessionCookie } from './cookies';

const facts = { name: 'portal', sameSite: 'Lax', ageSeconds: 43_200 } as const;

it.each(['https://receipts.example', 'http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])(
  'is bound to the host under %s',
  (url) => {
    const cookie = sessionCookie(url, facts);
    expect(cookie.set('t')).toBe('__Host-portal=t; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200');
    expect(cookie.clear()).toBe('__Host-portal=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0');
  },
);

it('has no prefix if a browser would reject it', () => {
  expect(sessionCookie('http://10.0.0.5:8080', facts).set('t')).toBe(
    'portal=t; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200',
  );
});

it('is read by its full name from among others', () => {
  const { read } = sessionCookie('https://receipts.example', facts);
  expect(read('a=1; __Host-portal=abc=; b=2')).toBe('abc=');
  expect(read('x__Host-portal=abc; portal=1; =; ;')).toBeUndefined();
  expect(read(undefined)).toBeUndefined();
});
