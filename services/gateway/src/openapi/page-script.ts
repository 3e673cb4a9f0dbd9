/**
 * What the documentation page does in the browser: finds operations, shows each request as a curl command, and sends it. It
 * speaks only to the origin that it came from; the token stays in the tab.
 */
export const pageScript = `
'use strict';
const root = document.documentElement;
const find = document.getElementById('find');
const token = document.getElementById('token');
const base = new URL(root.dataset.base, location.href).href.replace(/\\/$/, '');
token.value = sessionStorage.getItem('token') || '';
token.addEventListener('input', () => { sessionStorage.setItem('token', token.value); refreshAll(); });
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const matches = (text) => words.every((word) => text.includes(word));
  for (const card of document.querySelectorAll('.card')) card.hidden = !matches(card.dataset.find);
  for (const link of document.querySelectorAll('nav a[data-find]')) link.hidden = !matches(link.dataset.find);
  for (const section of document.querySelectorAll('main section')) section.hidden = !section.querySelector('.card:not([hidden])');
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  find.focus();
});
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') target.open = true;
};
addEventListener('hashchange', openTarget);
openTarget();
const theme = document.getElementById('theme');
const setTheme = (name) => { root.dataset.theme = name; localStorage.setItem('theme', name); };
const saved = localStorage.getItem('theme');
if (saved) root.dataset.theme = saved;
theme.addEventListener('click', () => {
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(isDark ? 'light' : 'dark');
});
const quote = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll('[data-in]')) {
    const { name, value } = input;
    if (value === '') continue;
    if (input.dataset.in === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
    else if (input.dataset.in === 'query') query.append(name, value);
    else headers[name] = value;
  }
  if (token.value && !form.dataset.open) headers.Authorization = 'Bearer ' + token.value.trim();
  const body = form.querySelector('textarea');
  if (body && body.value) headers['Content-Type'] = body.dataset.type;
  const text = query.toString();
  return { method: form.dataset.method, url: base + path + (text ? '?' + text : ''), headers, body: body && body.value ? body.value : undefined };
}
function curlOf({ method, url, headers, body }) {
  const parts = ['curl -i ' + (method === 'GET' ? '' : '-X ' + method + ' ') + quote(url)];
  for (const [name, value] of Object.entries(headers)) {
    const shown = name === 'Authorization' ? '"Authorization: Bearer $TOKEN"' : quote(name + ': ' + value);
    parts.push('-H ' + shown);
  }
  if (body !== undefined) parts.push('--data-raw ' + quote(body));
  return parts.join(' \\\\\\n  ');
}
const refresh = (form) => { form.querySelector('.curl').textContent = curlOf(requestOf(form)); };
const refreshAll = () => { for (const form of document.querySelectorAll('form.try')) refresh(form); };
for (const form of document.querySelectorAll('form.try')) {
  refresh(form);
  form.addEventListener('input', () => refresh(form));
  form.querySelector('.copy').addEventListener('click', () => navigator.clipboard.writeText(curlOf(requestOf(form))));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const output = form.querySelector('output');
    output.textContent = 'Sending …';
    const { method, url, headers, body } = requestOf(form);
    const startedAt = performance.now();
    try {
      const response = await fetch(url, { method, headers, body, redirect: 'manual' });
      const text = await response.text();
      let shown = text.slice(0, 20000);
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* It is no JSON: shown as it is. */ }
      const location_ = response.headers.get('location');
      output.textContent = response.status + ' ' + response.statusText + ' · ' + Math.round(performance.now() - startedAt) + ' ms' +
        (location_ ? '\\nLocation: ' + location_ : '') + '\\n\\n' + shown;
    } catch (error) {
      output.textContent = String(error);
    }
  });
}
`;
