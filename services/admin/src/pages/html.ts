export { html, Html } from '@receipts/html';
