export const webhooksPath = '/portal/webhooks';
