import { dashed, type Flag } from '../flag.ts';
import { needingWords, type ProgramDescription } from './describe-program.ts';

/** Returns the completion of zsh. */
export function zshCompletion(program: ProgramDescription): string {
  const cases = program.map(({ words, next, flags }) => {
    const lists = [
      `next=(${next.map(({ word, summary }) => quoted(described(word, summary))).join(' ')})`,
      `flags=(${flags.map((flag) => quoted(described(dashed(flag), flag.summary))).join(' ')})`,
    ];
    return `    '${words}') ${lists.join('; ')} ;;`;
  });
  const paths = program.filter(({ words }) => words !== '').map(({ words }) => quoted(words));
  return `#compdef kalends
# Completion of kalends for zsh: source <(kalends completion zsh)
_kalends() {
  local path_='' word next flags
  local -a next flags paths
  paths=(${paths.join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if (( \${paths[(Ie)\${path_:+$path_ }$word]} )); then path_="\${path_:+$path_ }$word"
    else case "$path_" in ${needingWords(program).join('|')}) [[ $word == -* ]] || return ;; esac; break; fi
  done
  case "$path_ \${words[CURRENT-1]}" in
${program.flatMap(({ words, flags }) => flags.flatMap((flag) => valueCase(words, flag))).join('\n')}
  esac
  case "$path_" in
${cases.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe flag flags; elif (( $#next )); then _describe command next; fi
}
compdef _kalends kalends
`;
}

function valueCase(words: string, { name, kind, choices = [] }: Flag): readonly string[] {
  if (kind === 'switch') return [];
  const complete = choices.length > 0 ? `compadd ${choices.join(' ')}` : '_files';
  return [`    '${words} --${name}') ${complete}; return ;;`];
}

function described(word: string, summary: string): string {
  return summary === '' ? word : `${word}:${summary}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
