import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

const OPTIONS = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['kalends-source'],
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  declaration: true,
  emitDeclarationOnly: true,
};

/**
 * Returns the public types of packages as texts by package name: the exports of each entry, and then, in alphabetical order, their
 * declarations and those of the same package that they refer to. Comments are left out.
 * @param root the repository's folder
 * @param folders folders of the packages, below the root
 * @throws Error when a source cannot be compiled
 */
export function publicTypes(root, folders) {
  const packages = folders.map((folder) => readPackage(root, folder));
  const paths = packages.flatMap(({ entries }) => entries.map(({ path }) => path));
  const declared = declarationProgram(root, paths);
  return Object.fromEntries(packages.map((one) => [one.name, textOf(one, declared)]));
}

function readPackage(root, folder) {
  const { name, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const entries = Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([entry, target]) => ({
      name: name + entry.slice(1),
      path: resolve(root, folder, target['kalends-source']),
    }));
  return { name, source: `${resolve(root, folder, 'src')}/`, entries };
}

/** Emits the declarations of the sources into memory, and makes a program of them. */
function declarationProgram(root, paths) {
  const declarations = new Map();
  const sources = ts.createProgram(paths, OPTIONS);
  const { emitSkipped } = sources.emit(undefined, (path, text) => declarations.set(resolve(path), text));
  if (emitSkipped || declarations.size === 0)
    throw new Error('the sources have no declarations; run "npm run typecheck"');
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, getSourceFile, readFile } = host;
  // A declaration stands in the place of its source, so that packages are found as from there.
  const inPlace = (path) => declarations.get(resolve(path));
  host.fileExists = (path) => inPlace(path) !== undefined || (!isOwnSource(root, path) && fileExists(path));
  host.readFile = (path) => inPlace(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = inPlace(path);
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, OPTIONS.target, true);
  };
  const program = ts.createProgram(
    paths.map(declarationPath),
    { ...OPTIONS, emitDeclarationOnly: false, noEmit: true },
    host,
  );
  return { root, program, checker: program.getTypeChecker(), declarations };
}

const declarationPath = (path) => path.replace(/\.ts$/, '.d.ts');

function isOwnSource(root, path) {
  const place = relative(root, resolve(path));
  return !place.startsWith('..') && !place.split(sep).includes('node_modules') && /(?<!\.d)\.ts$/.test(place);
}

const printer = ts.createPrinter({ removeComments: true });

function textOf({ source, entries }, { program, checker, declarations }) {
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const isOwn = (node) => {
    const path = resolve(node.getSourceFile().fileName);
    return path.startsWith(source) && declarations.has(path);
  };
  const exported = entries.map(({ name, path }) => {
    const file = program.getSourceFile(declarationPath(path));
    if (file === undefined) throw new Error(`${name}: there is no entry ${path}`);
    return { name, symbols: checker.getExportsOfModule(checker.getSymbolAtLocation(file)) };
  });
  const texts = new Set();
  const seen = new Set();
  const open = exported.flatMap(({ symbols }) => symbols.map(target));
  for (let symbol = open.pop(); symbol !== undefined; symbol = open.pop()) {
    if (seen.has(symbol)) continue;
    seen.add(symbol);
    const statements = (symbol.declarations ?? []).filter(isOwn).map(statementOf);
    if (statements.length === 0) continue;
    texts.add(statements.map(printed).join('\n'));
    open.push(...statements.flatMap((statement) => referencesIn(statement, checker, target)));
  }
  const lists = exported.map(({ name, symbols }) => {
    const lines = symbols.map((symbol) => `  ${symbol.name}`).sort();
    return [`entry ${name}`, ...lines].join('\n');
  });
  return `${[...lists, ...[...texts].sort(byName)].join('\n\n')}\n`;
}

const nameOf = (text) => /\b(?:interface|type|class|function|const|namespace) (\w+)/.exec(text)?.[1] ?? '';

function byName(one, other) {
  const [first, second] = [`${nameOf(one)} ${one}`, `${nameOf(other)} ${other}`];
  return first < second ? -1 : 1;
}

/** `const` and `export const` are said of the statement around a declaration. */
function statementOf(node) {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

function referencesIn(node, checker, target) {
  const found = [];
  const visit = (child) => {
    if (ts.isIdentifier(child)) {
      const symbol = checker.getSymbolAtLocation(child);
      const named = symbol === undefined ? undefined : target(symbol);
      const isType = named?.declarations?.some(isTopLevel) === true;
      if (isType) found.push(named);
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
}

const isTopLevel = (node) => {
  const { parent } = statementOf(node);
  return parent !== undefined && ts.isSourceFile(parent);
};

const printed = (node) =>
  printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^(export )?(declare )?/, '');
