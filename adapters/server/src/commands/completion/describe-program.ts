import type { CommandEntry } from '../command.ts';
import type { Flag } from '../flag.ts';

/** A word that can follow others, and the words and flags that can follow it. */
export interface WordDescription {
  /** The word with those before it, such as `app create`; empty for the program itself. */
  readonly words: string;
  readonly next: readonly { readonly word: string; readonly summary: string }[];
  readonly flags: readonly Flag[];
}

/** The program as a shell's completion knows it. */
export type ProgramDescription = readonly WordDescription[];

const HELP: Flag = { name: 'help', kind: 'switch', summary: 'Print its help.' };
const SHELLS = ['bash', 'zsh', 'fish'];

/** Describes all commands for the completion of shells. */
export async function describeProgram(entries: readonly CommandEntry[]): Promise<ProgramDescription> {
  const words = entries.map((entry) => entry.words.split(' '));
  const first = [...new Set(words.map(([word = '']) => word))];
  const summaryOf = (word: string) => entries.find((entry) => entry.words === word)?.summary ?? '';
  const groups = first.filter((word) => words.some(([group, verb]) => group === word && verb !== undefined));
  return [
    {
      words: '',
      next: [
        ...first.map((word) => ({ word, summary: summaryOf(word) })),
        { word: 'help', summary: 'explains a command' },
      ],
      flags: [HELP, { name: 'version', kind: 'switch', summary: 'Print the version.' }],
    },
    ...groups.map((group) => ({ words: group, next: verbsOf(group, entries), flags: [HELP] })),
    { words: 'help', next: first.map((word) => ({ word, summary: summaryOf(word) })), flags: [] },
    ...groups.map((group) => ({ words: `help ${group}`, next: verbsOf(group, entries), flags: [] })),
    ...(await Promise.all(
      entries.map(async (entry) => ({
        words: entry.words,
        next: entry.words === 'completion' ? SHELLS.map((word) => ({ word, summary: '' })) : [],
        flags: [...(await entry.load()).flags, HELP],
      })),
    )),
  ];
}

/** Returns the words, quoted for a shell, behind which only known words can follow. */
export function needingWords(program: ProgramDescription): readonly string[] {
  return program.filter(({ next }) => next.length > 0).map(({ words }) => `'${words}'`);
}

function verbsOf(group: string, entries: readonly CommandEntry[]): WordDescription['next'] {
  return entries.flatMap(({ words, summary }) => {
    const [first, verb] = words.split(' ');
    return first === group && verb !== undefined ? [{ word: verb, summary }] : [];
  });
}
