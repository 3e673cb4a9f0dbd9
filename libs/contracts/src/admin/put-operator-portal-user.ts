import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { portalUserBody, portalUserNotManageable, portalUserParams } from './portal-user';
import { retailerNotFound, retailerParams } from './retailer';

/** Allows the operator to manage portal users, for example to create a retailer's first user. */
export const putOperatorPortalUser = defineCommand(
  {
    name: 'admin.put-operator-portal-user',
    summary: "Create or update a user of a retailer's portal",
    description:
      'Accepts the same as `PUT /portal/user/{email}`. Only the operator can manage a user that is created ' +
      'here. Users created by the retailer remain under its control.',
    http: {
      method: 'PUT',
      path: '/operator/retailers/{id}/portal/user/{email}',
      access: 'operator',
      success: 201,
      otherSuccess: [204],
    },
    params: retailerParams.extend(portalUserParams.shape),
    body: portalUserBody,
    meta: z.object({ created: z.boolean() }),
    errors: [retailerNotFound, portalUserNotManageable, concurrentWrite],
    examples: { request: { group: 'managers', status: 'active' } },
  },
  { response: ({ created }) => ({ status: created ? 201 : 204 }) },
);
