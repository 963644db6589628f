export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

const KNOWN = ['COPY', 'CMD', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'HEALTHCHECK', 'RUN', 'USER', 'WORKDIR'];

/** Reads the stages of a Dockerfile. @throws Error for an instruction that deploying.long.test.ts does not play */
export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .join('\n')
    .replaceAll(' \\\n', ' ')
    .split('\n');
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [name = '', ...words] = line.trim().split(' ');
    const [image = '', , alias] = words;
    if (name === 'FROM') stages.push({ image, name: alias, instructions: [] });
    else if (KNOWN.includes(name)) stages.at(-1)?.instructions.push({ name, text: words.join(' ').trim() });
    else throw new Error(`Dockerfile: unknown instruction ${line}`);
  }
  return stages;
}
