/*
 * Refreshes the part of a page marked `data-live` until nothing in it is waiting any more. If scripts are disabled, the
 * user reloads the page.
 */
'use strict';
(() => {
  const everyMs = 2000;
  const live = () => document.querySelector('[data-live]');
  const refresh = async () => {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (answer.redirected) return location.reload();
    const next = new DOMParser()
      .parseFromString(await answer.text(), 'text/html')
      .querySelector('[data-live]');
    if (next) live().replaceWith(next);
  };
  const again = () => {
    if (live()?.hasAttribute('data-waiting'))
      setTimeout(
        () =>
          refresh()
            .catch(() => {})
            .then(again),
        everyMs,
      );
  };
  again();
})();
