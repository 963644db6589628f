import { z } from 'zod';
import { createTool, type Tool, type ToolContext } from '../tool.ts';
import { DATA_NOTE } from '../words/quoted.ts';

/** A write that is planned and not yet done. */
export interface WritePlan {
  /** Plain words about the change. */
  readonly words: readonly string[];
  /** State of every record that the words tell of. */
  readonly state: string;
  /** Writes it, and resolves with words about it. The key is the same for each use of one preview. */
  readonly commit: (key: string) => Promise<readonly string[]>;
}

export interface WritePairSpec<Input extends z.ZodObject> {
  /** Name of the tool that writes; its preview is `preview_` and the same. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly isDestructive?: boolean;
  /** Plans the write from its arguments and the present state, writing nothing. */
  readonly plan: (context: ToolContext, input: z.output<Input>) => Promise<WritePlan>;
}

const previewToken = z.string().max(256).describe('From the preview of exactly these arguments.');

/** Makes the two tools of a write: a preview that issues a token, and the write, which needs it. */
export function createWritePair<Input extends z.ZodObject>(spec: WritePairSpec<Input>): readonly [Tool, Tool] {
  const { name, title, description, input, isDestructive = false, plan } = spec;
  const preview = createTool({
    name: `preview_${name}`,
    kind: 'preview',
    title: `Preview: ${title.toLowerCase()}`,
    description: `${description} This tool only says what would change, and issues the previewToken that ${name} needs.`,
    input,
    async run(context, sent) {
      const { words, state } = await plan(context, sent);
      const { previews, caller } = context;
      const token = previews.issue({ caller, tool: name, arguments: sent, state });
      const minutes = Math.max(1, Math.round(previews.validMs / 60_000));
      return [
        'PREVIEW. Nothing is written yet.',
        ...words,
        DATA_NOTE,
        `Show this to the person. If they agree, call ${name} with the same arguments and previewToken: ${token}`,
        `The token is valid once, for ${minutes} minutes, for exactly these arguments.`,
      ].join('\n');
    },
  });
  const write = createTool({
    name,
    kind: 'write',
    title,
    description: `${description} Call preview_${name} first; this tool repeats its arguments and adds its previewToken.`,
    input: input.extend({ previewToken }),
    isDestructive,
    async run(context, both) {
      const { previewToken: token, ...sent } = both as { previewToken: string } & z.output<Input>;
      const { previews, caller } = context;
      const planned = await plan(context, sent as z.output<Input>);
      const write = { caller, tool: name, arguments: sent, state: planned.state };
      const done = await previews.redeem(token, write, planned.commit);
      return ['DONE.', ...done, DATA_NOTE].join('\n');
    },
  });
  return [preview, write];
}
