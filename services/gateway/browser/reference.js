'use strict';

/** The token that `npm start` printed, if the documentation was opened with it. */
function givenToken() {
  try {
    return sessionStorage.getItem('token') ?? '';
  } catch {
    return '';
  }
}

const reference = document.getElementById('reference');
const token = givenToken();
globalThis.Scalar.createApiReference(reference, {
  url: reference.dataset.description,
  generateOperationSlug: ({ operationId }) => operationId,
  // Nothing is loaded from or sent to another origin.
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'none',
  authentication: {
    preferredSecurityScheme: 'bearer',
    ...(token !== '' && { securitySchemes: { bearer: { token } } }),
  },
  onLoaded: () => {
    document.documentElement.dataset.ready = 'true';
  },
});
