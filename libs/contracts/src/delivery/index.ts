/** What delivery answers. A contract that stands here has a handler there, or the service does not compile. */
export const deliveryContracts = {};

/** What delivery tells the world. */
export const deliveryEvents = {};
