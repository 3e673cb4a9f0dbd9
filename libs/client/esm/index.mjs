// The ES module entry point. It shares one instance of the code with CommonJS, so that `instanceof ApiError` works in
// both.
export * from '../dist/index.js';
