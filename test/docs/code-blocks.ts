export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** Returns the code blocks below a heading of a Markdown page, up to the next heading. @throws Error when there are none */
export function codeBlocksBelow(page: string, heading: string): readonly CodeBlock[] {
  const [, section] = page.split(`\n${heading}\n`);
  const text = section?.split(/\n#+ /)[0] ?? '';
  const fenced = text.split(/^```/m).filter((_, index) => index % 2 === 1);
  const blocks = fenced.map((block) => {
    const end = block.indexOf('\n');
    return { language: block.slice(0, end), text: block.slice(end + 1) };
  });
  if (blocks.length === 0) throw new Error(`there is no code block below "${heading}"`);
  return blocks;
}
