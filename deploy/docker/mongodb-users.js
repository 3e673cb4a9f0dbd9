// Creates one user per service, which may read and write only its own database, and a user for the metrics exporter.
// mongosh runs this script as the root user when the database is initialized, or manually later. Passwords come from
// the environment.
const admin = db.getSiblingDB('admin');
const databaseOf = (service) => `receipts_${service.replaceAll('-', '_')}`;
const passwordOf = (user) => {
  const password = process.env[`${user.replaceAll('-', '_').toUpperCase()}_STORE_PASSWORD`];
  if (!password) throw new Error(`the password of ${user} is missing`);
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
