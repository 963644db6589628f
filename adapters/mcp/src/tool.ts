import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { Caller, Engine } from 'kalends';
import type { Clock, Logger, Random } from 'kalends/ports';
import { createId } from 'kalends/runtime';
import type { z } from 'zod';
import type { PreviewBook } from './previews/preview-book.ts';
import { errorWords } from './words/error-words.ts';

/** Parts that the calls of one connection share. */
export interface ToolContext {
  readonly engine: Engine;
  readonly caller: Caller;
  readonly previews: PreviewBook;
  readonly tokenBudget: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
}

/** `write` changes a calendar; `hold` takes or frees time here, and no calendar's; `preview` and `read` change nothing. */
export type ToolKind = 'read' | 'preview' | 'hold' | 'write';

export interface ToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether a write removes or replaces what was there. @default false */
  readonly isDestructive?: boolean;
  /** Resolves with the text of the answer. @throws ToolRefusal or KalendsError, which become answers */
  readonly run: (context: ToolContext, input: z.output<Input>) => Promise<string>;
}

export interface Tool {
  readonly name: string;
  readonly kind: ToolKind;
  register(server: McpServer, context: ToolContext): void;
}

/** Makes a tool of its specification. Errors are answered with what to do next. */
export function createTool<Input extends z.ZodObject>(spec: ToolSpec<Input>): Tool {
  const { name, kind, title, description, input, isDestructive = false, run } = spec;
  return {
    name,
    kind,
    register(server, context) {
      const annotations = {
        readOnlyHint: kind === 'read' || kind === 'preview',
        destructiveHint: kind === 'write' && isDestructive,
        idempotentHint: kind !== 'hold',
        openWorldHint: kind === 'write',
      };
      const inputSchema: z.ZodObject = input;
      server.registerTool(name, { title, description, inputSchema, annotations }, (sent) =>
        answer(context, name, () => run(context, sent as z.output<Input>)),
      );
    },
  };
}

async function answer(context: ToolContext, name: string, run: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await run() }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: errorWords(error) ?? faultWords(context, name, error) }] };
  }
}

/** Logs a fault of ours, and returns the answer by whose id an operator finds it in the log. */
function faultWords({ logger, random }: ToolContext, name: string, error: unknown): string {
  const requestId = createId(random, 'req');
  logger?.error('a tool failed', { requestId, step: name, error: String(error) });
  return `The server failed. Repeat the call once; if it fails again, tell the person, with requestId: ${requestId}`;
}
