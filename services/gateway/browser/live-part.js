/*
 * Refreshes the part marked `data-refreshed` after that many seconds, until there are none. It waits while the user is
 * working in the part, or has paused it with the button that a part with the labels `data-pause` and `data-resume` gets.
 */
'use strict';
(() => {
  const part = () => document.querySelector('[data-refreshed]');
  let isPaused = false;
  const addButton = ({ pause, resume }) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet pause';
    button.textContent = pause;
    button.addEventListener('click', () => {
      isPaused = !isPaused;
      button.textContent = isPaused ? resume : pause;
    });
    part().before(button);
  };
  const isBusy = () => isPaused || document.hidden || part().matches(':focus-within, :has(details[open])');
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
  if (part()?.dataset.pause) addButton(part().dataset);
  again();
})();
