import { dashed, type Flag } from '../flag.ts';
import { needingWords, type ProgramDescription } from './describe-program.ts';

/** Returns the completion of fish. */
export function fishCompletion(program: ProgramDescription): string {
  const paths = program.filter(({ words }) => words !== '').map(({ words }) => quoted(words));
  const lines = program.flatMap(({ words, next, flags }) => {
    const condition = `-n ${quoted(`__kalends_at ${quoted(words)}`)}`;
    return [
      ...next.map(({ word, summary }) => `complete -c kalends ${condition} -f -a ${word}${described(summary)}`),
      ...flags.map(
        (flag) =>
          `complete -c kalends ${condition} -l ${dashed(flag).slice(2)}${argumentOf(flag)}${described(flag.summary)}`,
      ),
    ];
  });
  return `# Completion of kalends for fish: kalends completion fish > ~/.config/fish/completions/kalends.fish
function __kalends_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    if contains -- $next ${paths.join(' ')}
      set path $next
    else
      contains -- "$path" ${needingWords(program).join(' ')}; and not string match -q -- '-*' $word; and return 1
      break
    end
  end
  test "$path" = "$argv[1]"
end
complete -c kalends -f
${lines.join('\n')}
`;
}

function argumentOf({ kind, choices = [] }: Flag): string {
  if (kind === 'switch') return '';
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r -F';
}

function described(summary: string): string {
  return summary === '' ? '' : ` -d ${quoted(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
