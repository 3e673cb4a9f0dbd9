'use strict';

const base = document.body.dataset.base;
const root = document.documentElement;

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

/**
 * `npm start` prints an address that ends with `#token=`: the part after `#` never leaves the browser. The reference
 * sends the token, as long as the tab is open.
 */
const given = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
if (given !== undefined) {
  try {
    sessionStorage.setItem('token', given);
  } catch {
    // Storage is forbidden: the token has to be entered in the reference.
  }
  history.replaceState(null, '', location.pathname + location.search);
}
root.dataset.ready = 'true';
