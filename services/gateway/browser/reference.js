'use strict';

const mount = document.getElementById('reference');
const root = document.documentElement;

/** The library switches to dark colours with a class, but users have already set their preference. */
const wantsDark = matchMedia('(prefers-color-scheme: dark)');
const setColours = () => root.classList.toggle('dark-mode', wantsDark.matches);
wantsDark.addEventListener('change', setColours);
setColours();

/**
 * `npm start` prints an address that ends with `#token=`: the part after `#` never leaves the browser. The token is
 * kept as long as the tab is open.
 */
function givenToken() {
  const given = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem('token');
}

/** Every search word must occur in the method, the path or the description of an operation. */
function opsFilter(taggedOperations, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (entry) => {
    const operation = entry.get('operation');
    const parts = [
      entry.get('method'),
      entry.get('path'),
      operation.get('summary'),
      operation.get('description'),
    ];
    const text = parts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return taggedOperations
    .map((tag) => tag.set('operations', tag.get('operations').filter(matches)))
    .filter((tag) => tag.get('operations').size > 0);
}

const token = givenToken();

/**
 * Replaces references with their targets. All references of the description are local, so resolving them takes a
 * millisecond here, but seconds with the library's own resolver, which supports remote documents.
 */
function inlined(description, value, above = []) {
  if (Array.isArray(value)) return value.map((member) => inlined(description, member, above));
  if (value === null || typeof value !== 'object') return value;
  const { $ref, ...beside } = value;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, inlined(description, member, above)]),
    );
  }
  if (above.includes($ref)) return beside;
  const target = at(description, $ref.slice(2).split('/'));
  return { ...inlined(description, target, [...above, $ref]), ...inlined(description, beside, above) };
}

const at = (value, path) => path.reduce((inside, name) => inside?.[name], value);

async function resolveSubtree(description, path) {
  return { spec: inlined(description, at(description, path)), errors: [] };
}

const search = (Original, system) => () => {
  const { layoutSelectors, layoutActions, React } = system;
  const filter = layoutSelectors.currentFilter();
  return React.createElement('input', {
    className: 'search',
    type: 'search',
    placeholder: 'Search operations ( / )',
    'aria-label': 'Search operations',
    value: typeof filter === 'string' ? filter : '',
    onChange: (event) => layoutActions.updateFilter(event.target.value),
  });
};

function bodyOf(operation) {
  const [type, media] = operation.getIn(['requestBody', 'content'])?.entrySeq().first() ?? [];
  if (type === undefined) return undefined;
  const example = media.get('example') ?? media.get('examples')?.first()?.get('value');
  const value = example?.toJS?.() ?? example;
  const text =
    typeof value === 'string' ? value : value === undefined ? '...' : JSON.stringify(value, null, 2);
  return { type: type === '*/*' ? 'text/plain' : type, text };
}

/** The required parameters of a request, and those that have been filled in. */
function filledParameters(operation, path, filled) {
  let address = path;
  const query = [];
  const headers = {};
  for (const parameter of operation.get('parameters') ?? []) {
    const name = parameter.get('name');
    const place = parameter.get('in');
    const value = String(filled.get(`${place}.${name}`) ?? parameter.get('example') ?? '');
    const isUsual = value === '' || value === String(parameter.getIn(['schema', 'default']));
    if (place === 'path')
      address = address.replace(`{${name}}`, value === '' ? `{${name}}` : encodeURIComponent(value));
    else if (isUsual && parameter.get('required') !== true) continue;
    else if (place === 'query') query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    else if (place === 'header') headers[name] = value;
  }
  return { target: query.length > 0 ? `${address}?${query.join('&')}` : address, headers };
}

/** An example request of an operation: its required parameters, and those that have been filled in. */
function firstRequest(system, operation, path, method) {
  const { specSelectors, oas3Selectors, authSelectors, Im } = system;
  const filled = specSelectors.parameterValues([path, method]);
  const { target, headers } = filledParameters(operation, path, filled);
  if (operation.get('security')?.size !== 0) {
    headers.Authorization = `Bearer ${authSelectors.authorized()?.getIn(['bearer', 'value']) ?? 'YOUR_TOKEN'}`;
  }
  const body = bodyOf(operation);
  if (body) headers['Content-Type'] = body.type;
  const server = new URL(specSelectors.servers()?.getIn([0, 'url']) ?? '/', location.href).href.replace(
    /\/$/,
    '',
  );
  const typed = oas3Selectors.requestBodyValue(path, method);
  return Im.fromJS({
    url: server + target,
    method: method.toUpperCase(),
    headers,
    ...(body && { body: typeof typed === 'string' && typed !== '' ? typed : body.text }),
  });
}

/** The library shows a command only after a request has been sent. This command is shown before that. */
const withSamples = (Original, system) => (props) => {
  const { React, specSelectors, getComponent } = system;
  const { path, method } = props;
  const operation = specSelectors.specResolvedSubtree(['paths', path, method]);
  const Snippets = getComponent('RequestSnippets', true);
  const sent = specSelectors.requestFor(path, method);
  const shown = operation && !sent && firstRequest(system, operation, path, method);
  return React.createElement(
    React.Fragment,
    null,
    shown &&
      React.createElement('div', { className: 'samples' }, React.createElement(Snippets, { request: shown })),
    React.createElement(Original, props),
  );
};

const plugin = () => ({
  fn: {
    opsFilter,
    resolveSubtree,
    requestSnippetGenerator_javascript: requestSamples.javascript,
    requestSnippetGenerator_python: requestSamples.python,
    requestSnippetGenerator_java: requestSamples.java,
  },
  wrapComponents: { FilterContainer: search, responses: withSamples },
});

const ui = SwaggerUIBundle({
  domNode: mount,
  url: mount.dataset.description,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [plugin],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
      java: { title: 'Java', syntax: 'java' },
    },
    defaultExpanded: true,
    languages: ['curl_bash', 'javascript', 'python', 'java'],
  },
  onComplete: () => {
    if (token !== null) ui.preauthorizeApiKey('bearer', token);
    root.dataset.ready = 'true';
  },
});

window.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')) return;
  event.preventDefault();
  document.querySelector('.search')?.focus();
});
