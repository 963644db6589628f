// Proves that every regular expression of the source matches in linear time, whatever text it meets: a quadratic one
// lets one invitation of 128 kB hold the event loop for seconds. Run by `npm run lint`.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

// The checker in JavaScript: the same answers on every machine, without Java or a binary for its platform.
process.env['RECHECK_SYNC_BACKEND'] = 'pure';
const { checkSync } = await import('recheck');

/**
 * Far more than any expression takes, and no time for single attacks, whose steps are counted: an answer must not depend on
 * how busy the machine is. The checker takes an attack that does not end in time for a successful one.
 */
const TIMES = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

function sourceFiles() {
  const adapters = readdirSync('adapters').map((name) => `adapters/${name}/src`);
  const folders = ['src', ...adapters, 'adapters/dashboard/page'];
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`))
    .filter((path) => /\.(tsx?|js|cjs|mjs)$/.test(path) && !path.endsWith('.d.ts'))
    .sort();
}

/** Expressions that are not ours to prove, by place, each with its reason. */
const NOT_OURS = new Map([
  [
    'adapters/sandbox/src/kernel/fault-book.ts',
    'the tester writes this pattern, over the control interface of the sandbox',
  ],
]);

/** The regular expressions of a file: literals, and what is given to RegExp when it is written out. */
function expressionsOf(path) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, source, flags) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push({ file: path, place: `${path}:${line + 1}`, text: node.getText(file), source, flags });
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(file) === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      const isWritten = (part) => part !== undefined && ts.isStringLiteralLike(part);
      const isKnown = isWritten(source) && (flags === undefined || isWritten(flags));
      add(node, isKnown ? source.text : undefined, isKnown ? (flags?.text ?? '') : '');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Why an expression is not known to be linear: undefined when it is. */
function objection({ file, source, flags }) {
  if (source === undefined)
    return NOT_OURS.has(file) ? undefined : 'is put together at run time: nothing can be proved; write a literal';
  const answer = checkSync(source, flags, TIMES);
  if (answer.status === 'safe') return undefined;
  if (answer.status === 'unknown') return `could not be proved linear (${answer.error.kind})`;
  return `is ${answer.complexity.summary}; attack: ${answer.attack.pattern}`;
}

const started = performance.now();
const verdicts = new Map();
const problems = [];
let total = 0;
for (const path of sourceFiles()) {
  for (const expression of expressionsOf(path)) {
    total += 1;
    const key = `${expression.source ?? expression.place}/${expression.flags}`;
    if (!verdicts.has(key)) verdicts.set(key, objection(expression));
    const verdict = verdicts.get(key);
    if (verdict !== undefined) problems.push(`${expression.place}: ${expression.text} ${verdict}`);
  }
}
if (total < 100) problems.push(`only ${total} regular expressions were read`);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(`${problems.length} of ${total} regular expressions are not proved linear`);
  process.exit(1);
}
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`regular expressions: ${total} (${verdicts.size} different), all proved linear in ${seconds} s`);
