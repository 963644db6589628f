import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { Placeholders } from './placeholders.ts';
import { type Block, ROOT } from './read-blocks.ts';

/** A block as a module of its own. */
export interface BlockModule {
  readonly block: Block;
  readonly path: string;
  readonly text: string;
}

const FOLDER = `${ROOT}test/docs/`;

/** Names that each public entry exports. */
export type Exports = ReadonlyMap<string, readonly string[]>;

/**
 * Makes a module of a block. An `@example` has imports in front: of the exports of its own file, and of those of public entries
 * that it calls.
 */
export function moduleOf(block: Block, index: number, exports: Exports): BlockModule {
  const text = `${importsOf(block, exports)}${block.code}\nexport {};\n`;
  return { block, text, path: `${FOLDER}block-${index}.${block.language}` };
}

function importsOf({ code, source }: Block, exports: Exports): string {
  if (source === undefined) return '';
  const own = [...readFileSync(`${ROOT}${source}`, 'utf8').matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)];
  const homes = new Map([...exports].flatMap(([entry, names]) => names.map((name) => [name, entry] as const)));
  for (const [, name = ''] of own) homes.set(name, `../../${source}`);
  const isCalled = (name: string) => new RegExp(`(?<![.\\w])${name}\\(`).test(code);
  return [...homes]
    .filter(([name, home]) => isCalled(name) || (home.startsWith('.') && code.includes(name)))
    .map(([name, home]) => `import { ${name} } from '${home}'; `)
    .join('');
}

/**
 * Compiles modules in strict mode against the sources, and returns their faults by place.
 * @param names of the placeholders, which stand in every module as if the reader had declared them
 */
export function compileBlocks(
  modules: readonly BlockModule[],
  names: readonly (keyof Placeholders)[],
): readonly string[] {
  const declared = `${FOLDER}declared-placeholders.d.ts`;
  const texts = new Map(modules.map(({ path, text }) => [path, text]));
  texts.set(
    declared,
    `import type { Placeholders } from './blocks/placeholders.ts';
declare global {\n${names.map((name) => `const ${name}: Placeholders['${name}'];`).join('\n')}\n}\n`,
  );
  const strict = strictOptions();
  const host = ts.createCompilerHost(strict);
  const program = ts.createProgram([...texts.keys()], strict, {
    ...host,
    fileExists: (path) => texts.has(path) || host.fileExists(path),
    readFile: (path) => texts.get(path) ?? host.readFile(path),
    getSourceFile: (path, version) => {
      const text = texts.get(path);
      return text === undefined ? host.getSourceFile(path, version) : ts.createSourceFile(path, text, version);
    },
  });
  const placeOf = new Map(modules.map(({ path, block }) => [path, block.place]));
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${placeOf.get(path) ?? path} line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

/** Compiles a file of JavaScript in strict mode, with the types of browsers in place of Node's, and returns its faults. */
export function compileForBrowsers(path: string): readonly string[] {
  const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];
  const program = ts.createProgram([`${ROOT}${path}`], { ...strictOptions(), lib, types: [] });
  const file = program.getSourceFile(`${ROOT}${path}`);
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

function strictOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const once = { incremental: false, tsBuildInfoFile: undefined };
  return { ...options, ...once, checkJs: true, noUnusedLocals: false, noUnusedParameters: false };
}
