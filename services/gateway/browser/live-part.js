/*
 * Refreshes the part marked `data-refreshed` after that many seconds, until there are none. It waits while the user is
 * working in the part.
 */
'use strict';
(() => {
  const part = () => document.querySelector('[data-refreshed]');
  const isBusy = () => document.hidden || part().matches(':focus-within, :has(details[open])');
  const refresh = async () => {
    if (isBusy()) return;
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (answer.redirected) return location.reload();
    const next = new DOMParser()
      .parseFromString(await answer.text(), 'text/html')
      .querySelector('[data-refreshed]');
    if (next && !isBusy()) part().replaceWith(next);
  };
  const again = () => {
    const seconds = Number(part()?.dataset.refreshed);
    const next = () =>
      refresh()
        .catch(() => {})
        .then(again);
    if (seconds > 0) setTimeout(next, seconds * 1000);
  };
  again();
})();
