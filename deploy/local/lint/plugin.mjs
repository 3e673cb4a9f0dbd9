// The project's own rules for oxlint.
const operators = /^\$(set|unset|setOnInsert|inc|push|pull|max|min|n?in|ne|[gl]te?|exists|elemMatch)$/;

/** With the rule on imports: MongoDB is spoken in storage/ only. */
const mongodbInStorage = {
  create: (context) => ({
    MemberExpression(node) {
      if (!node.computed && node.property.name === 'db')
        context.report({ node, message: 'The database is opened in storage/.' });
    },
    Property(node) {
      if (operators.test(node.key.name ?? ''))
        context.report({ node, message: 'Filters and updates are made in storage/.' });
    },
  }),
};

export default { meta: { name: 'receipts' }, rules: { 'mongodb-in-storage': mongodbInStorage } };
