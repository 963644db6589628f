import { dashed } from '../flag.ts';
import { needingWords, type ProgramDescription } from './describe-program.ts';

/** Returns the completion of bash: words, flags, values of flags that have choices, files for the others. */
export function bashCompletion(program: ProgramDescription): string {
  const cases = program.map(
    ({ words, next, flags }) =>
      `    '${words}') next='${next.map(({ word }) => word).join(' ')}' flags='${flags.map(dashed).join(' ')}' ;;`,
  );
  return `# Completion of kalends for bash: source <(kalends completion bash)
_kalends() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' next='' flags='' word
  COMPREPLY=()
  # Bash splits --flag=value at the sign.
  if [[ $current == '=' ]]; then current=''; elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    case " $path $word" in
${pathCases(program)}
      *) case "$path" in ${needingWords(program).join('|')}) return ;; esac; break ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$path $previous" in
${valueCases(program)}
  esac
  if [[ $current == -* ]]; then next=$flags; fi
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -F _kalends kalends
`;
}

function pathCases(program: ProgramDescription): string {
  return program
    .filter(({ words }) => words !== '')
    .map(({ words }) => {
      const before = words.split(' ').slice(0, -1).join(' ');
      const last = words.split(' ').at(-1);
      return `      ' ${before} ${last}') path='${words}' ;;`;
    })
    .join('\n');
}

function valueCases(program: ProgramDescription): string {
  return program
    .flatMap(({ words, flags }) =>
      flags
        .filter(({ kind }) => kind !== 'switch')
        .map(({ name, choices = [] }) => {
          const offered = choices.length > 0 ? `-W '${choices.join(' ')}'` : '-f';
          return `    '${words} --${name}') COMPREPLY=($(compgen ${offered} -- "$current")); return ;;`;
        }),
    )
    .join('\n');
}
