import ts from 'typescript';

const { SyntaxKind: Kind } = ts;

/** The operators in place of an operator. */
const OPERATORS = {
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
};
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min' };
/** Operators of SQL, replaced one at a time in the texts of tagged templates. */
const SQL = [
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ = /g, ' <> '],
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/\bnot exists\b/g, 'exists'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bmax\(/g, 'min('],
  [/\bmin\(/g, 'max('],
  [/ \+ 1\b/g, ' + 0'],
  [/ desc\b/g, ' asc'],
];

/**
 * Returns the source with every mutant in it, each behind `mutant(id)`, which says whether it is the one to play.
 * @param firstId ids count from here
 */
export function mutatedSource(source, path, firstId) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const mutants = [];
  return { text: emit(file), mutants };

  function emit(node) {
    const raw = source.slice(node.pos, node.end);
    if (isLeftAlone(node)) return raw;
    let text = '';
    let at = node.pos;
    ts.forEachChild(node, (child) => {
      text += source.slice(at, child.pos) + emit(child);
      at = child.end;
    });
    text += source.slice(at, node.end);
    const trivia = source.slice(node.pos, node.getStart(file));
    return trivia + wrapped(node, text.slice(trivia.length));
  }

  function wrapped(node, text) {
    if (node === file) return text;
    if (isRemovable(node)) return `{ if (!${played(node, node.getText(file), '')}) { ${text} } }`;
    const replacements = replacementsOf(node);
    if (replacements.length === 0) return text;
    const choices = replacements.map((other) => `${played(node, node.getText(file), other)} ? (${other}) : `);
    return `(${choices.join('')}(${text}))`;
  }

  /** Adds a mutant. */
  function played(node, from, to) {
    const id = firstId + mutants.length;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    mutants.push({
      id,
      path,
      line: line + 1,
      isTuning: isTuning(node),
      isAtLoad: isAtLoad(node),
      ...difference(from, to),
    });
    return `globalThis.isMutant(${id})`;
  }

  function replacementsOf(node) {
    const own = node.getText(file);
    if (ts.isBinaryExpression(node)) {
      const [left, operator, right] = [node.left, node.operatorToken, node.right].map((part) => part.getText(file));
      if (operator === '??') return [left];
      return (OPERATORS[operator] ?? []).map((other) => `${left} ${other} ${right}`).concat(conditions(node));
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken)
      return [node.operand.getText(file)];
    if (ts.isNumericLiteral(node)) return [`${own} + 1`];
    if (ts.isTaggedTemplateExpression(node)) return sqlMutants(own);
    if (node.kind === Kind.TrueKeyword) return ['false'];
    if (node.kind === Kind.FalseKeyword) return ['true'];
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name } = node.expression;
      const other = METHODS[name.text];
      if (other === undefined) return conditions(node);
      return [
        own.slice(0, name.getStart(file) - node.getStart(file)) + other + own.slice(name.end - node.getStart(file)),
      ];
    }
    return conditions(node);
  }

  /** Both answers to a condition, where no operator of its own is replaced. */
  function conditions(node) {
    const { parent } = node;
    const isCondition =
      (ts.isIfStatement(parent) && parent.expression === node) ||
      (ts.isConditionalExpression(parent) && parent.condition === node);
    return isCondition ? ['true', 'false'] : [];
  }
}

function sqlMutants(text) {
  return SQL.flatMap(([pattern, to]) =>
    [...text.matchAll(pattern)].map(
      ({ index, 0: from }) => text.slice(0, index) + to + text.slice(index + from.length),
    ),
  );
}

/** Returns whether a mutant only changes a module's constant by one, or removes a log line: neither is behaviour. */
function isTuning(node) {
  if (ts.isExpressionStatement(node)) return /^(\w+\.)*logger\.\w+\(/.test(node.getText());
  return ts.isNumericLiteral(node) && isAtLoad(node);
}

/** Returns whether a place is evaluated when its module is imported, outside of any function. */
function isAtLoad(node) {
  let { parent } = node;
  while (parent !== undefined && !ts.isFunctionLike(parent)) parent = parent.parent;
  return parent === undefined;
}

function isLeftAlone(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    Boolean(node.flags & ts.NodeFlags.OptionalChain) ||
    // The name of a property, not its value.
    (ts.isNumericLiteral(node) && node.parent.name === node)
  );
}

/** Statements that only do something: a call, an assignment. */
function isRemovable(node) {
  return ts.isExpressionStatement(node);
}

/** The part in which two texts differ, with a little around it. */
function difference(from, to) {
  const AROUND = 24;
  let start = 0;
  while (start < Math.min(from.length, to.length) && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const first = Math.max(0, start - AROUND);
  const last = Math.max(0, end - AROUND);
  const part = (text) => text.slice(first, text.length - last).replaceAll(/\s+/g, ' ');
  return { from: part(from).slice(0, 120), to: part(to).slice(0, 120) };
}
