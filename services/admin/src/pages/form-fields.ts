import { html, type Html } from '@receipts/html';

/** An error that the user can correct. */
export const problem = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="notice bad" role="alert">${text}</p>`;

export const success = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="notice good" role="status">${text}</p>`;

/** A form that a signed-in user posts. */
export const postForm = (action: string, csrf: string, inside: Html, className?: string): Html =>
  html`<form method="post" action="${action}" ${className !== undefined && html`class="${className}"`}>
    <input type="hidden" name="csrf" value="${csrf}" />
    ${inside}
  </form>`;

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
  const hintId = `${id}-hint`;
  const listId = `${id}-list`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${hint !== undefined && html`aria-describedby="${hintId}"`}
      ${required && html`required`}
      ${pattern !== undefined && html`pattern="${pattern}"`}
      ${list.length > 0 && html`list="${listId}"`}
    />
    ${
      list.length > 0 &&
      html`<datalist id="${listId}">
        ${list.map((one) => html`<option value="${one.value}">${one.label}</option>`)}
      </datalist>`
    }
    ${hint !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`;
}

/** A field for several lines of text. */
export function textField({ name, id = name, label, value = '', hint }: Field): Html {
  const hintId = `${id}-hint`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <textarea
      id="${id}"
      name="${name}"
      rows="3"
      class="prose"
      ${hint !== undefined && html`aria-describedby="${hintId}"`}
    >
${value}</textarea>
    ${hint !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`;
}

interface SelectField {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function selectField({ name, label, value, options }: SelectField): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(
        (option) =>
          html`<option value="${option.value}" ${option.value === value && html`selected`}>
            ${option.label}
          </option>`,
      )}
    </select>
  </div>`;
}
