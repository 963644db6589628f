import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A piece of code that users read. */
export interface Block {
  /** Place in the repository: `docs/embedding.md:45`. */
  readonly place: string;
  readonly language: 'ts' | 'js';
  readonly code: string;
  /** From a comment above the block: `<!-- not run: … -->` or `<!-- not compiled: … -->`. */
  readonly mark: { readonly kind: 'not run' | 'not compiled'; readonly reason: string } | undefined;
  /** The source file of an `@example`, whose exports it takes as imported. */
  readonly source?: string;
}

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FENCE = /^( *)```(?:typescript|javascript|ts|js|mts|mjs)\b.*\n([\s\S]*?)^\1```/gm;
const MARK = /<!-- (not run|not compiled): (\S.*) -->\n\s*$/;

/** Reads the blocks of README.md, docs/ and the packages' READMEs. */
export function blocksOfPages(): readonly Block[] {
  const docs = filesBelow('docs').filter((path) => path.endsWith('.md'));
  const readmes = readdirSync(`${ROOT}adapters`).map((name) => `adapters/${name}/README.md`);
  return ['README.md', ...docs, ...readmes].flatMap(blocksOfPage);
}

function blocksOfPage(path: string): readonly Block[] {
  const text = readFileSync(`${ROOT}${path}`, 'utf8');
  return [...text.matchAll(FENCE)].map(({ 0: fence, 1: indent = '', 2: code = '', index }) => {
    const [, kind, reason = ''] = MARK.exec(text.slice(0, index)) ?? [];
    const line = text.slice(0, index).split('\n').length;
    return {
      place: `${path}:${line}`,
      language: fence.trimStart().startsWith('```j') ? 'js' : 'ts',
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      mark: kind === 'not run' || kind === 'not compiled' ? { kind, reason } : undefined,
    };
  });
}

/** Reads the `@example` of every docstring of the sources. */
export function examples(): readonly Block[] {
  const adapters = readdirSync(`${ROOT}adapters`).map((name) => `adapters/${name}/src`);
  return ['src', ...adapters]
    .flatMap(filesBelow)
    .filter((path) => path.endsWith('.ts'))
    .flatMap(examplesOf);
}

function examplesOf(path: string): readonly Block[] {
  const text = readFileSync(`${ROOT}${path}`, 'utf8');
  if (!/^ *(?:\/\*)?\*+ @example/m.test(text)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Block[] = [];
  const visit = (node: ts.Node): void => {
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text !== 'example' || tag.parent.parent !== node) continue;
      const comment = ts.getTextOfJSDocComment(tag.comment) ?? '';
      const line = source.getLineAndCharacterOfPosition(tag.getStart()).line + 1;
      const code = comment.replace(/^```\w*\n|\n```$/g, '');
      found.push({ place: `${path}:${line}`, language: 'ts', code, mark: undefined, source: path });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .sort();
}
