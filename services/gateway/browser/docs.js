'use strict';

const base = document.body.dataset.base;
const root = document.documentElement;

/** Storage may be forbidden; then choices last as long as the page. */
function stored(storage, name, value) {
  try {
    if (value !== undefined) storage.setItem(name, value);
    return storage.getItem(name) ?? '';
  } catch {
    return value ?? '';
  }
}

// Samples call the platform that served the page.
for (const samples of document.querySelectorAll('.samples')) {
  for (const code of samples.querySelectorAll('code')) {
    code.textContent = code.textContent.replaceAll(samples.dataset.host, location.origin + base);
  }
}

// Samples: all pages show the language that was chosen last.
function showLanguage(language) {
  root.dataset.language = language;
  for (const tab of document.querySelectorAll('.tabs button')) {
    tab.setAttribute('aria-pressed', String(tab.dataset.language === language));
  }
}
showLanguage(stored(localStorage, 'language') || 'curl');
document.addEventListener('click', ({ target }) => {
  const { language } = target.closest?.('.tabs button')?.dataset ?? {};
  if (language) showLanguage(stored(localStorage, 'language', language));
});

// Search: the list of entries is loaded when the field is first used.
const field = document.getElementById('search');
const found = document.getElementById('found');
const resultsMax = 30;
const kindOrder = ['Operation', 'Guide', 'Error', 'Event', 'Field'];
let entries;

async function fetchEntries() {
  const answer = await fetch(`${base}/docs/search.json`);
  if (!answer.ok) throw new Error(`the search got ${answer.status}`);
  return answer.json();
}

/** Resolves to an empty list if the entries cannot be loaded; the next call tries again. */
function loadEntries() {
  entries ??= fetchEntries().catch(() => {
    entries = undefined;
    return [];
  });
  return entries;
}

/** Words that people use for the same thing. A synonym counts less than the word itself. */
const synonyms = [
  ['refund', 'return', 'void', 'cancel'],
  ['shop', 'store'],
  ['token', 'key'],
];
const alternativesOf = (word) => synonyms.find((group) => group.includes(word.replace(/s$/, ''))) ?? [];

/** 0 if the word is in the title, and more if only the text or a synonym matches. Undefined if nothing does. */
function distance(word, name, text) {
  if (name.includes(word)) return 0;
  if (text.includes(word)) return 100;
  const others = alternativesOf(word);
  if (others.some((other) => name.includes(other))) return 150;
  return others.some((other) => text.includes(other)) ? 200 : undefined;
}

/** Lower is better: all words in the title, then in title and text. Undefined if a word is missing. */
function rank({ kind, title, text }, words) {
  const name = title.toLowerCase();
  const distances = words.map((word) => distance(word, name, text.toLowerCase()));
  if (distances.includes(undefined)) return undefined;
  const isExact = name === words.join(' ');
  return (
    distances.reduce((sum, each) => sum + each, 0) +
    (isExact ? -50 : 0) +
    kindOrder.indexOf(kind) * 10 +
    name.length / 100
  );
}

function resultOf({ kind, title, text, href }, at) {
  const item = document.createElement('li');
  item.id = `found-${at}`;
  item.role = 'option';
  const link = document.createElement('a');
  link.href = base + href;
  link.tabIndex = -1;
  for (const [tag, words] of [
    ['small', kind],
    ['strong', title],
    ['span', text],
  ]) {
    const part = document.createElement(tag);
    part.textContent = words;
    link.append(part);
  }
  item.append(link);
  return item;
}

function noResult(text) {
  const item = document.createElement('li');
  item.role = 'option';
  item.ariaDisabled = 'true';
  item.className = 'none';
  item.textContent = `No results for “${text}”`;
  return item;
}

let chosen = -1;
function choose(at) {
  const items = [...found.children];
  items[chosen]?.removeAttribute('aria-selected');
  chosen = items.length === 0 ? -1 : (at + items.length) % items.length;
  items[chosen]?.setAttribute('aria-selected', 'true');
  items[chosen]?.scrollIntoView({ block: 'nearest' });
  field.setAttribute('aria-activedescendant', items[chosen]?.id ?? '');
}

function showResults(items) {
  found.replaceChildren(...items);
  found.hidden = items.length === 0;
  field.setAttribute('aria-expanded', String(!found.hidden));
  chosen = -1;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length === 0 ? [] : await loadEntries();
  const best = all
    .map((entry) => ({ entry, rank: rank(entry, words) }))
    .filter((one) => one.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, resultsMax);
  const results = best.map(({ entry }, at) => resultOf(entry, at));
  // Without entries, nothing was searched.
  showResults(all.length > 0 && results.length === 0 ? [noResult(field.value.trim())] : results);
  root.dataset.searched = field.value;
}

field.parentElement.hidden = false;
field.addEventListener('focus', () => void loadEntries());
field.addEventListener('input', () => void search());
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Escape') showResults([]);
  else if (event.key === 'Enter') found.children[Math.max(0, chosen)]?.querySelector('a')?.click();
  else return;
  event.preventDefault();
});
found.addEventListener('click', () => showResults([]));
document.addEventListener('click', ({ target }) => {
  if (!field.parentElement.contains(target)) showResults([]);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')) return;
  event.preventDefault();
  field.focus();
});

// Trying operations.

/**
 * `npm start` prints an address that ends with `#token=`: the part after `#` never leaves the browser. It is kept as
 * long as the tab is open.
 */
const given = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
if (given !== undefined) {
  stored(sessionStorage, 'token', given);
  history.replaceState(null, '', location.pathname + location.search);
}
const token = document.getElementById('token');
token.value = stored(sessionStorage, 'token');
token.addEventListener('input', () => stored(sessionStorage, 'token', token.value.trim()));

/** The identifier of one attempt; browsers offer `randomUUID` only over HTTPS and on this machine. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The request that a form describes. Empty parameters are left out. */
function requestOf(form) {
  const { method, path, needsToken, takesKey } = form.dataset;
  const query = new URLSearchParams();
  const headers = {};
  let target = path;
  for (const input of form.querySelectorAll('input')) {
    const { name, value } = input;
    const place = input.dataset.in;
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (place === 'query') query.append(name, value);
    else headers[name] = value;
  }
  const area = form.querySelector('textarea');
  if (area) headers['content-type'] = area.dataset.type;
  if (needsToken !== undefined) headers.authorization = `Bearer ${token.value.trim()}`;
  if (takesKey !== undefined) headers['idempotency-key'] = newKey();
  const text = query.toString();
  return {
    url: base + target + (text === '' ? '' : `?${text}`),
    options: { method, headers, ...(area && { body: area.value }) },
  };
}

function readable(text, type) {
  if (!/json/.test(type ?? '')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form) {
  const { url, options } = requestOf(form);
  const began = performance.now();
  const answer = await fetch(url, options);
  const text = await answer.text();
  const took = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - began)} ms`;
  const shown = ['request-id', 'location', 'etag', 'retry-after', 'idempotent-replayed'];
  const headers = shown.flatMap((name) =>
    answer.headers.has(name) ? [`${name}: ${answer.headers.get(name)}`] : [],
  );
  return [
    `${options.method} ${url}`,
    took,
    ...headers,
    '',
    readable(text, answer.headers.get('content-type')),
  ].join('\n');
}

async function showAttempt(form) {
  const button = form.querySelector('button');
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  button.disabled = true;
  try {
    pre.textContent = await send(form);
  } catch (error) {
    pre.textContent = `The request could not be sent: ${error.message}`;
  }
  button.disabled = false;
  form.nextElementSibling.replaceChildren(pre);
}

const forms = document.querySelectorAll('.try form');
token.hidden = forms.length === 0;
for (const form of forms) {
  form.parentElement.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void showAttempt(form);
  });
}
root.dataset.ready = 'true';
