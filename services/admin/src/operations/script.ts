/**
 * Keeps a page fresh: fetches it again every few seconds and puts the new part that is marked `data-live` into the place of
 * the old one, unless somebody is at work in it or has paused it. Without it everything works as well, by loading again.
 */
export const script = `'use strict';
(() => {
  const live = () => document.querySelector('[data-live]');
  const everyMs = 5000;
  let paused = false;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet pause';
  const label = () => { button.textContent = paused ? 'Go on updating' : 'Pause updates'; };
  button.addEventListener('click', () => { paused = !paused; label(); });
  label();
  live().before(button);
  const isBusy = () => paused || document.hidden || live().contains(document.activeElement);
  const refresh = async () => {
    if (isBusy()) return;
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, credentials: 'same-origin' });
    if (answer.redirected) return location.reload();
    if (!answer.ok || isBusy()) return;
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-live]');
    if (next) live().replaceWith(next);
  };
  const again = () => setTimeout(() => refresh().catch(() => undefined).then(again), everyMs);
  again();
})();
`;
