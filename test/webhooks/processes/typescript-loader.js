import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(tmpdir(), 'kalends-transpiled');

/** Strips the types of TypeScript sources, once for each content: many processes start during one test. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const path = join(FOLDER, `${createHash('sha256').update(text).digest('hex')}.js`);
  const source = await readFile(path, 'utf8').catch(() => transpile(text, path));
  return { format: 'module', source, shortCircuit: true };
}

async function transpile(text, path) {
  const { default: typescript } = await import('typescript');
  const { outputText } = typescript.transpileModule(text, {
    compilerOptions: { module: 'esnext', target: 'es2023', verbatimModuleSyntax: true },
  });
  await mkdir(FOLDER, { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, outputText);
  await rename(draft, path);
  return outputText;
}
