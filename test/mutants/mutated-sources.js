import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutatedSource } from './mutated-source.js';

/** The mirror, the pulls that fill it, and its statements. */
const MUTATED = ['src/mirror', 'src/pull', 'adapters/sql/src/mirror'];

/** Returns the mutated sources, by their paths, with all mutants of each. */
export function sourcesToMutate(root) {
  const sources = new Map();
  let firstId = 1;
  for (const folder of MUTATED) {
    const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.ts'));
    for (const name of names.sort()) {
      const path = join(folder, name);
      const mutated = mutatedSource(readFileSync(join(root, path), 'utf8'), path, firstId);
      sources.set(join(root, path), mutated);
      firstId += mutated.mutants.length;
    }
  }
  return sources;
}

/** Returns all mutants. The key of one is the same as long as its source is. */
export function mutantsIn(sources) {
  return [...sources.values()].flatMap(({ text, mutants }) => {
    const digest = digestOf(text.replaceAll(/isMutant\(\d+\)/g, ''), mutants[0]?.path);
    return mutants.map((mutant, index) => ({ ...mutant, key: `${digest}.${index}` }));
  });
}

export function digestOf(...texts) {
  return createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 12);
}
