import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyTree } from '../packages/copy-of-tree.ts';
import { runShell } from '../processes/run-shell.ts';
import { readDockerfile, type Stage } from './dockerfile.ts';

export interface PlayedImage {
  /** The folder that stands for the working directory of the image. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/**
 * Plays a Dockerfile without Docker: each stage is a folder, whose commands run on this machine. So it shows that the files are
 * there and that the commands work, and nothing about the base image.
 */
export async function playImage(dockerfile: string, folder: string): Promise<PlayedImage> {
  const stages = readDockerfile(readFileSync(dockerfile, 'utf8'));
  const roots = new Map<string, string>();
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, `stage-${index}`);
    roots.set(stage.name ?? String(index), root);
    await playStage(stage, root, roots);
  }
  const last = stages.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  const texts = (name: string) => last.instructions.filter((one) => one.name === name).map(({ text }) => text);
  const list = (text: string | undefined): readonly string[] => JSON.parse(text ?? '[]');
  const pairs = texts('ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('=', 2) as [string, string]));
  const directory = texts('WORKDIR').at(-1) ?? '/';
  return {
    folder: join(folder, `stage-${stages.length - 1}`, directory),
    environment: Object.fromEntries(pairs),
    entrypoint: list(texts('ENTRYPOINT').at(-1)),
    command: list(texts('CMD').at(-1)),
    healthcheck: list(
      texts('HEALTHCHECK')
        .at(-1)
        ?.replace(/^.*? CMD /, ''),
    ),
  };
}

async function playStage({ instructions }: Stage, root: string, roots: ReadonlyMap<string, string>): Promise<void> {
  let directory = root;
  for (const { name, text } of instructions) {
    if (name === 'WORKDIR') directory = join(root, text);
    if (name === 'RUN') await runShell(text, directory);
    if (name === 'COPY') await copy(text.split(' '), directory, roots);
  }
}

async function copy(words: readonly string[], directory: string, roots: ReadonlyMap<string, string>): Promise<void> {
  const [source = '', target = ''] = words.filter((word) => !word.startsWith('--'));
  const stage = /^--from=(.*)$/.exec(words[0] ?? '')?.[1];
  mkdirSync(dirname(directory), { recursive: true });
  if (stage === undefined && source === '.' && target === '.') return copyTree(directory);
  const root = roots.get(stage ?? '');
  if (root === undefined)
    throw new Error(`COPY ${words.join(' ')}: only the whole context and earlier stages are played`);
  mkdirSync(directory, { recursive: true });
  cpSync(join(root, source), join(directory, target), { recursive: true, verbatimSymlinks: true });
}
