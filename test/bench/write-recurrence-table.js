import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const README = new URL('../../adapters/recurrence/README.md', import.meta.url);
const BEGIN = '<!-- Written by npm run bench -- recurrence --write -->';
const END = '<!-- End of what is written -->';

/** Writes the tables of the recurrence benchmark between the two marks of the package's README. */
export function writeRecurrenceTable({ libraries, correctness, speed }) {
  const text = readFileSync(README, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${README.pathname} lacks "${BEGIN}" or "${END}"`);
  const written = [BEGIN, aboutRun(libraries), markdown(correctness), markdown(speed), END].join('\n\n');
  writeFileSync(README, text.slice(0, begin) + written + text.slice(end + END.length));
}

function aboutRun(libraries) {
  const versions = libraries.slice(1).map((library) => `${library.package} ${versionOf(library)}`);
  const [{ model } = { model: 'unknown processor' }] = cpus();
  const machine = `${cpus().length} × ${model.trim()}, Node ${process.version}, tz data ${process.versions.tz}`;
  return `${new Date().toISOString().slice(0, 10)}, ${machine}; ${versions.join(', ')}; \`npm run bench -- recurrence\`.`;
}

function versionOf(library) {
  const manifest = new URL(`node_modules/${library.package}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

function markdown([head, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
