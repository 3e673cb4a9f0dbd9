/*
 * Refreshes a page: fetches it every few seconds and replaces the part marked `data-live`, unless the user is working
 * in it or has paused it.
 */
'use strict';
(() => {
  const live = () => document.querySelector('[data-live]');
  const everyMs = 5000;
  let paused = false;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet pause';
  const label = () => {
    button.textContent = paused ? 'Resume updates' : 'Pause updates';
  };
  button.addEventListener('click', () => {
    paused = !paused;
    label();
  });
  label();
  live().before(button);
  const isBusy = () => paused || document.hidden || live().contains(document.activeElement);
  const refresh = async () => {
    if (isBusy()) return;
    const answer = await fetch(location.href, {
      headers: { accept: 'text/html' },
      credentials: 'same-origin',
    });
    if (answer.redirected) return location.reload();
    if (!answer.ok || isBusy()) return;
    const next = new DOMParser()
      .parseFromString(await answer.text(), 'text/html')
      .querySelector('[data-live]');
    if (next) live().replaceWith(next);
  };
  const again = () =>
    setTimeout(
      () =>
        refresh()
          .catch(() => undefined)
          .then(again),
      everyMs,
    );
  again();
})();
