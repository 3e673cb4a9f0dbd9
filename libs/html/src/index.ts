export { escapeHtml } from './escape-html';
export { html, Html, joined, type HtmlPart } from './html';
