import ts from 'typescript';

/** Functions of the global object that wait, or that choose a turn of the event loop. */
const GLOBALS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance']);

/** Members of globals that read time, randomness or the environment, or that wait. */
const MEMBERS = new Set([
  'AbortSignal.timeout',
  'Atomics.wait',
  'Atomics.waitAsync',
  'Date.now',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'process.env',
  'process.hrtime',
  'process.nextTick',
  'process.uptime',
]);

const MODULES = new Set(['timers', 'timers/promises', 'perf_hooks']);
const NAMES_OF_MODULES = new Map([
  ['crypto', /^(random|getRandomValues$|webcrypto$)/],
  ['process', /^(env|hrtime|nextTick|uptime|default)$/],
]);

/**
 * Lists the places of a source text that read time, randomness or the environment, or that wait, past the ports.
 * @returns the line, from 1, and the text of each, in their order
 */
export function impureUses(text, fileName = 'source.ts') {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, use) =>
    found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, use });
  const visit = (node) => {
    const use = ts.isImportDeclaration(node) ? impureImport(node) : impureExpression(node);
    if (use === undefined) ts.forEachChild(node, visit);
    else add(node, use);
  };
  visit(file);
  return found;
}

function impureImport({ moduleSpecifier, importClause }) {
  if (importClause?.isTypeOnly) return undefined;
  const module = moduleSpecifier.text.replace(/^node:/, '');
  if (MODULES.has(module)) return `import of ${moduleSpecifier.text}`;
  const names = NAMES_OF_MODULES.get(module);
  if (names === undefined) return undefined;
  const bindings = importClause?.namedBindings;
  const imported =
    bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly).map((each) => (each.propertyName ?? each.name).text)
      : [];
  const impure = imported.find((name) => names.test(name));
  return impure === undefined ? undefined : `import of ${impure} from ${moduleSpecifier.text}`;
}

function impureExpression(node) {
  if (ts.isPropertyAccessExpression(node)) {
    const path = pathOf(node);
    if (MEMBERS.has(path) || GLOBALS.has(path)) return path;
  }
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isReference(node)) return node.text;
  const isBareDate = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'Date';
  if (isBareDate && (node.arguments ?? []).length === 0) return 'the current Date';
  return undefined;
}

/** `globalThis.process.env` and `process.env` are one path. */
function pathOf(node) {
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node)) return '';
  const path = `${pathOf(node.expression)}.${node.name.text}`;
  return path.replace(/^(globalThis|global|window)\./, '');
}

/** Whether an identifier reads a variable, rather than naming a member, a parameter or a type. */
function isReference(node) {
  const { parent } = node;
  if (ts.isTypeQueryNode(parent) || ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return parent.name !== node && parent.propertyName !== node;
}
