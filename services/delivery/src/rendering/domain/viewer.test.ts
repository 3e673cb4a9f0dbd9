import { viewerOf } from './viewer';

const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

it.each([safari, chrome])('treats a browser as a person: %s', (agent) => {
  expect(viewerOf({ 'user-agent': agent })).toBe('person');
});

it.each([
  '',
  'WhatsApp/2.23.20.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'curl/8.5.0',
])('treats a program as a bot: %s', (agent) => {
  expect(viewerOf({ 'user-agent': agent })).toBe('bot');
});

it('treats prefetching, and a request without a user agent, as a bot', () => {
  expect(viewerOf({ 'user-agent': safari, 'sec-purpose': 'prefetch;prerender' })).toBe('bot');
  expect(viewerOf({})).toBe('bot');
});
