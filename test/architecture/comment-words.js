const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(?<own>.*)$|\s\/\/\s(?<trailing>.*)$/;
const START = /^(?:What|Whoever|Whose)\b/;
const WORD = /\b(?:nobody|somebody|whoever|anybody)\b/i;

/**
 * Lists the comment lines that begin with "What", "Whoever" or "Whose", or that use a pronoun for a person.
 * @returns the line, from 1, and the word of each, in their order
 */
export function riddlesInComments(text) {
  return text.split('\n').flatMap((line, index) => {
    const { own, trailing } = COMMENT.exec(line)?.groups ?? {};
    const comment = own ?? trailing ?? '';
    const word = (START.exec(comment) ?? WORD.exec(comment))?.[0];
    return word === undefined ? [] : [{ line: index + 1, word }];
  });
}

/** Lists the lines of a Markdown text that use such a pronoun, as `riddlesInComments` does. Code blocks are skipped. */
export function riddlesInProse(text) {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const word = isCode ? undefined : WORD.exec(line)?.[0];
    return word === undefined ? [] : [{ line: index + 1, word }];
  });
}
