/** The statuses of portal users; inactive users cannot sign in. */
export const portalUserStatuses = ['active', 'inactive'] as const;
