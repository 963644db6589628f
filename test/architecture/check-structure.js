// Checks what no type checker sees: the directions of imports, the homes of packages, and where time, randomness
// and the environment may be read. Run by `npm run lint`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { impureUses } from './impure-uses.js';

const require = createRequire(import.meta.url);
const { forbidden, options } = require('../../.dependency-cruiser.cjs');
const problems = [];

const { output } = await cruise(
  ['src', 'adapters'],
  {
    ...options,
    ruleSet: { forbidden, options },
    validate: true,
    exclude: { path: '(^|/)(dist|test|scripts|assets)/' },
  },
  options.enhancedResolveOptions,
  { tsConfig: extractTSConfig('tsconfig.json') },
);
if (output.summary.totalCruised < 50) problems.push(`only ${output.summary.totalCruised} modules were read`);
for (const { rule, from, to, cycle } of output.summary.violations) {
  const way = cycle?.length ? [from, ...cycle.map(({ name }) => name ?? '')].join(' -> ') : `${from} -> ${to}`;
  problems.push(`${rule.name}: ${way}`);
}

const MAY_BE_IMPURE =
  /^src\/runtime\/|^adapters\/conformance\/|^adapters\/server\/|^adapters\/dashboard\/page\/|^adapters\/[^/]+\/src\/runtime\//;
const sources = output.modules
  .map(({ source }) => source)
  .filter((source) => /^(src|adapters)\/.*\.ts$/.test(source) && !source.includes('node_modules'));
for (const source of sources) {
  const text = readFileSync(source, 'utf8');
  const lines = text.split('\n').length;
  if (lines > 450) problems.push(`${source}: ${lines} lines; is it one concept?`);
  if (/(^|\/)(utils?|helpers?|common|misc|types|shared)\.ts$/.test(source))
    problems.push(`${source}: the name says nothing`);
  if (MAY_BE_IMPURE.test(source)) continue;
  for (const { line, use } of impureUses(text, source))
    problems.push(`${source}:${line}: ${use} belongs in src/runtime`);
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(`${problems.length} problems of structure`);
  process.exit(1);
}
console.log(
  `structure: ${output.summary.totalCruised} modules, ${output.summary.totalDependenciesCruised} imports, no problem`,
);
