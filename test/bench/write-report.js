import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url);

/** Runs each benchmark in a process of its own, and writes what they print as one page of the documentation. */
export async function writeReport(files) {
  const [load] = loadavg();
  const sections = [];
  for (const file of files) sections.push(await sectionOf(file));
  writeFileSync(PAGE, `${[headOf(load, files), ...sections].join('\n\n')}\n`);
  console.log(`\n${fileURLToPath(PAGE)} is written`);
}

function headOf(load, files) {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const machine = `${cpus().length} × ${model.trim()}, ${memory}, ${process.platform}, Node ${process.version}`;
  return `# Benchmarks

What \`npm run bench -- ${files.map(nameOf).join(' ')} --report\` printed with kalends ${version} on ${new Date().toISOString().slice(0, 10)}: ${machine}. Other programs on
the machine kept ${load.toFixed(1)} processes waiting or running when it began. Both sides of a share were measured in the same run, one
after the other in turns: shares can be compared between machines, times cannot.`;
}

async function sectionOf(file) {
  const runner = fileURLToPath(new URL('run.js', import.meta.url));
  const child = spawn(process.execPath, [runner, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    printed += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}; no report is written`);
  return `## ${nameOf(file)}\n\n${aboutOf(file)}\n\n\`\`\`text\n${printed.trim()}\n\`\`\``;
}

const nameOf = (file) => file.replace('.bench.js', '');

/** The comment at the beginning of the benchmark. */
function aboutOf(file) {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('// '));
  return lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join('\n');
}
