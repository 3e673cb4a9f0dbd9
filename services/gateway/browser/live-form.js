/*
 * Sends a form with the action "run" while its author types, and replaces the part of the page that shows the result;
 * colours the editors of code; writes what a colour picker picks into its field. If scripts are disabled, the page offers a button instead.
 */
'use strict';
(() => {
  const form = document.querySelector('[data-live-form]');
  const waitMs = 100;
  let timer;
  let running;

  const tokens =
    /(\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(\$\w*)|\b(\d+(?:\.\d+)?|true|false|null|and|or|in|function)\b/g;
  const kinds = [undefined, 'comment', 'string', 'function', 'value'];

  /** The text as nodes, with a span for each token, and a mark for each line with an error. */
  const coloured = (text, faulty) => {
    const lines = document.createDocumentFragment();
    let line = document.createElement('div');
    const endLine = () => {
      if (faulty.has(lines.childElementCount + 1)) line.className = 'faulty';
      line.append('\n');
      lines.append(line);
      line = document.createElement('div');
    };
    const put = (part, kind) => {
      for (const [n, piece] of part.split('\n').entries()) {
        if (n > 0) endLine();
        const span = document.createElement('span');
        if (kind) span.className = kind;
        span.append(piece);
        line.append(span);
      }
    };
    let end = 0;
    for (const match of text.matchAll(tokens)) {
      put(text.slice(end, match.index));
      put(
        match[0],
        kinds.find((kind, n) => kind && match[n] !== undefined),
      );
      end = match.index + match[0].length;
    }
    put(text.slice(end));
    endLine();
    return lines;
  };

  const editors = [...form.querySelectorAll('textarea[data-code]')].map((area) => {
    const back = document.createElement('pre');
    back.setAttribute('aria-hidden', 'true');
    area.parentElement.classList.add('coloured');
    area.before(back);
    const colour = () => {
      const faults = document.querySelectorAll(`[data-live] [data-editor="${area.id}"][data-line]`);
      const faulty = new Set([...faults].map((fault) => Number(fault.dataset.line)));
      back.replaceChildren(coloured(area.value, faulty));
      back.scrollTop = area.scrollTop;
      back.scrollLeft = area.scrollLeft;
    };
    area.addEventListener('input', colour);
    area.addEventListener('scroll', () => {
      back.scrollTop = area.scrollTop;
      back.scrollLeft = area.scrollLeft;
    });
    return colour;
  });
  const colourAll = () => editors.forEach((colour) => colour());
  colourAll();

  /** Keeps the parts open that the user has opened. */
  const replace = (next) => {
    const live = document.querySelector('[data-live]');
    const open = [...live.querySelectorAll('details')].map((part) => part.open);
    [...next.querySelectorAll('details')].forEach((part, n) => {
      part.open = open[n] ?? part.open;
    });
    live.replaceWith(next);
    colourAll();
  };

  const run = async () => {
    running?.abort();
    running = new AbortController();
    const fields = new FormData(form);
    fields.set('action', 'run');
    const body = form.enctype === 'multipart/form-data' ? fields : new URLSearchParams(fields);
    // The buttons are called `action` too, and hide the property of the form.
    const answer = await fetch(form.getAttribute('action'), { method: 'POST', body, signal: running.signal });
    if (answer.redirected) return location.reload();
    const next = new DOMParser()
      .parseFromString(await answer.text(), 'text/html')
      .querySelector('[data-live]');
    if (next) replace(next);
  };
  for (const picker of form.querySelectorAll('[data-picks]')) {
    const field = document.getElementById(picker.dataset.picks);
    picker.hidden = false;
    picker.addEventListener('input', () => (field.value = picker.value));
    field.addEventListener('input', () => field.validity.valid && (picker.value = field.value));
  }
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => run().catch(() => undefined), waitMs);
  });
})();
