// The project's own rules for oxlint.
const operators = /^\$(set|unset|setOnInsert|inc|push|pull|max|min|n?in|ne|[gl]te?|exists|elemMatch)$/;

/** Used with the rule on imports: only storage/ may use MongoDB. */
const mongodbInStorage = {
  create: (context) => ({
    MemberExpression(node) {
      if (!node.computed && node.property.name === 'db')
        context.report({ node, message: 'Open the database in storage/.' });
    },
    Property(node) {
      if (operators.test(node.key.name ?? ''))
        context.report({ node, message: 'Build filters and updates in storage/.' });
    },
  }),
};

const levels = new Set(['debug', 'info', 'warn', 'error']);
const partsOfErrors = new Set(['name', 'message', 'stack']);

/** A call of a logger's method, such as `this.log.warn(...)`. */
function isLogCall(callee) {
  if (callee.type !== 'MemberExpression' || !levels.has(callee.property.name)) return false;
  return /^log(ger)?$/.test(callee.object.name ?? callee.object.property?.name ?? '');
}

/** The logger writes an error with its name, message and causes, and without the data quoted in messages. */
const wholeErrorsInLogs = {
  create: (context) => ({
    CallExpression({ callee, arguments: [, fields] }) {
      if (!isLogCall(callee) || fields?.type !== 'ObjectExpression') return;
      for (const { value } of fields.properties) {
        const part = value?.type === 'ChainExpression' ? value.expression : value;
        const isPart = part?.type === 'MemberExpression' && partsOfErrors.has(part.property.name);
        if (isPart && isError(part.object))
          context.report({ node: value, message: 'Pass the error itself to the log: `{ error }`.' });
      }
    },
  }),
};

/** Whether the name of a value suggests an error. */
function isError(node) {
  const value = node.type === 'TSAsExpression' ? node.expression : node;
  return /^(error|cause|fault|reason)$/.test(value.name ?? value.property?.name ?? '');
}

const privateMembers = {
  create(context) {
    const check = ({ key }) => {
      if (key.type === 'PrivateIdentifier')
        context.report({ node: key, message: 'Declare it as `private`.' });
    };
    return { PropertyDefinition: check, MethodDefinition: check };
  },
};

const constantNames = {
  create: (context) => ({
    VariableDeclarator({ id }) {
      if (id.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(id.name))
        context.report({ node: id, message: 'Write constants in camelCase.' });
    },
  }),
};

export default {
  meta: { name: 'receipts' },
  rules: {
    'constant-names': constantNames,
    'mongodb-in-storage': mongodbInStorage,
    'private-members': privateMembers,
    'whole-errors-in-logs': wholeErrorsInLogs,
  },
};
