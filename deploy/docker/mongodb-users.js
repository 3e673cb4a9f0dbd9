/* global db -- mongosh */
// One user for each service, who reads and writes its own database and no other, and one for the exporter of figures. Runs with
// mongosh as the root user: when the database is made, or again by hand. Passwords come from the environment.
const admin = db.getSiblingDB('admin');
const databaseOf = (service) => `receipts_${service.replaceAll('-', '_')}`;
const passwordOf = (user) => {
  const password = process.env[`${user.replaceAll('-', '_').toUpperCase()}_STORE_PASSWORD`];
  if (!password) throw new Error(`there is no password for ${user}`);
  return password;
};
const services = ['ingest', 'transform', 'receipt-store', 'delivery', 'identifier', 'admin'];
const users = [
  ...services.map((user) => ({ user, roles: [{ role: 'readWrite', db: databaseOf(user) }] })),
  { user: 'exporter', roles: [{ role: 'clusterMonitor', db: 'admin' }] },
];
for (const { user, roles } of users) {
  const settings = { pwd: passwordOf(user), roles };
  if (admin.getUser(user)) admin.updateUser(user, settings);
  else admin.createUser({ user, ...settings });
}
