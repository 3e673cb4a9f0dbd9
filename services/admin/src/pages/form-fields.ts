import { html, type Html } from '@receipts/html';

/** An error that the user can correct. */
export const problem = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="notice bad" role="alert">${text}</p>`;

export const success = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="notice good" role="status">${text}</p>`;

interface FormAttributes {
  readonly id?: string;
  readonly className?: string;
  /** The name of the form for screen readers. */
  readonly label?: string;
  /** True if the form contains files. */
  readonly hasFiles?: boolean;
  /** True if the page's script shows the result while the user types. */
  readonly isLive?: boolean;
}

/** A form that a signed-in user posts. */
export const postForm = (
  action: string,
  csrf: string,
  inside: Html,
  { id, className, label, hasFiles, isLive }: FormAttributes = {},
): Html =>
  html`<form
    method="post"
    action="${action}"
    ${id !== undefined && html`id="${id}"`}
    ${className !== undefined && html`class="${className}"`}
    ${label !== undefined && html`aria-label="${label}"`}
    ${hasFiles && html`enctype="multipart/form-data"`}
    ${isLive && html`data-live-form`}
  >
    <input type="hidden" name="csrf" value="${csrf}" />
    ${inside}
  </form>`;

interface FilterForm {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly action: string;
  readonly fields: readonly Html[];
  readonly submit: string;
  /** Links beside the button. */
  readonly links?: Html;
}

/** The head of a page, with a form for what the page shows. */
export const filterForm = ({ id, title, action, fields, submit, links }: FilterForm): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h1 id="${id}">${title}</h1>
    <form method="get" action="${action}" aria-label="${title}">
      <div class="finder">${fields}</div>
      <div class="actions">
        <button>${submit}</button>
        ${links}
      </div>
    </form>
  </section>`;

interface Choice {
  readonly type?: 'checkbox' | 'radio';
  readonly name: string;
  readonly value: string;
  readonly label: string | undefined;
  readonly note?: Html | string;
  readonly isChosen: boolean;
}

/** A check box or radio button with its label. */
export const choice = ({ type = 'checkbox', name, value, label, note, isChosen }: Choice): Html =>
  html`<label class="choice">
    <input type="${type}" name="${name}" value="${value}" ${isChosen && html`checked`} />
    <span>${label}${note !== undefined && html`<small>${note}</small>`}</span>
  </label>`;

interface Field {
  readonly name: string;
  /** Unique on the page. Defaults to the name. */
  readonly id?: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: string;
  readonly autocomplete?: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** A regular expression that the browser checks the whole value against. */
  readonly pattern?: string;
  /** Suggested values, with their names. The user may enter others. */
  readonly list?: readonly { readonly value: string; readonly label: string }[];
}

const hintIdOf = (id: string) => `${id}-hint`;

const describedBy = (id: string, hint: string | undefined) =>
  hint !== undefined && html`aria-describedby="${hintIdOf(id)}"`;

const labelled = (
  { id, label, hint }: { readonly id: string; readonly label: string; readonly hint?: string | undefined },
  control: Html,
): Html =>
  html`<div class="field">
    <label for="${id}">${label}</label>
    ${control} ${hint !== undefined && html`<p class="hint" id="${hintIdOf(id)}">${hint}</p>`}
  </div>`;

export function field({
  name,
  id = name,
  label,
  value,
  type = 'text',
  autocomplete = 'off',
  hint,
  required,
  pattern,
  list = [],
}: Field): Html {
  const listId = `${id}-list`;
  const input = html`<input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${describedBy(id, hint)}
      ${required && html`required`}
      ${pattern !== undefined && html`pattern="${pattern}"`}
      ${list.length > 0 && html`list="${listId}"`}
    />
    ${
      list.length > 0 &&
      html`<datalist id="${listId}">
        ${list.map((one) => html`<option value="${one.value}">${one.label}</option>`)}
      </datalist>`
    }`;
  return labelled({ id, label, hint }, input);
}

/** A field for several lines of text. */
export function textField({ name, id = name, label, value = '', hint }: Field): Html {
  const area = html`<textarea id="${id}" name="${name}" rows="3" class="prose" ${describedBy(id, hint)}>
${value}</textarea>`;
  return labelled({ id, label, hint }, area);
}

interface SelectField {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function selectField({ name, label, value, options }: SelectField): Html {
  const select = html`<select id="${name}" name="${name}">
    ${options.map(
      (option) =>
        html`<option value="${option.value}" ${option.value === value && html`selected`}>
          ${option.label}
        </option>`,
    )}
  </select>`;
  return labelled({ id: name, label }, select);
}
