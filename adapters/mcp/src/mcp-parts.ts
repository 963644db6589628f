import { Buffer } from 'node:buffer';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Caller, Engine } from 'kalends';
import { checkProcessPorts, systemClock, systemRandom } from 'kalends/runtime';
import { ALL_TOOLS } from './all-tools.ts';
import { invalidOption } from './invalid-option.ts';
import type { McpOptions } from './mcp-options.ts';
import { createPreviewBook } from './previews/preview-book.ts';
import { DATA_NOTE } from './words/quoted.ts';

/** Creates servers that share their options and their previews, one for each connection or request. */
export interface McpParts {
  /** Loads the protocol's library and creates a server on behalf of a caller. */
  createServer(caller: Caller): Promise<McpServer>;
}

const TOKEN_BUDGET = 4_000;
const LEAST_BUDGET = 200;
const PREVIEW_MS = 600_000;
const KEY_BYTES = 32;
const VERSION = '0.1.0';

const INSTRUCTIONS = [
  'Calendars of people, at any provider. Begin with list_accounts and list_calendars.',
  'Copy ids exactly. Times are local to the zone that is named beside them.',
  DATA_NOTE,
  'Writes have two steps: a preview tool says what would change, the write tool repeats its arguments with the token of the preview.',
  'Show the preview to the person and wait for their agreement. For an event that repeats, ask which scope is meant.',
].join(' ');

/** @throws KalendsError InvalidRequest naming an option that cannot be used */
export function createMcpParts(engine: Engine, options: McpOptions): McpParts {
  checkProcessPorts({ clock: options.clock, random: options.random, logger: options.logger });
  const { clock = systemClock, random = systemRandom, logger, readOnly = false } = options;
  const { tokenBudget = TOKEN_BUDGET, previewMs = PREVIEW_MS, previewKey = random.bytes(KEY_BYTES) } = options;
  if (!(tokenBudget >= LEAST_BUDGET)) throw invalidOption('tokenBudget', `must be at least ${LEAST_BUDGET}`);
  if (!(previewMs > 0)) throw invalidOption('previewMs', 'must be above 0');
  if (previewKey.length < KEY_BYTES) throw invalidOption('previewKey', `must have at least ${KEY_BYTES} bytes`);
  const previews = createPreviewBook({ key: Buffer.from(previewKey), validMs: previewMs, clock, random });
  return {
    async createServer(caller) {
      const { McpServer } = await import('@modelcontextprotocol/server');
      const server = new McpServer(
        { name: 'kalends', title: 'kalends calendars', version: VERSION },
        // The tools never change: a client that listened for it would keep a stream open that a stopping server has to wait for.
        { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
      );
      const isReadOnly = readOnly || caller.readOnly === true;
      const context = { engine, caller, previews, tokenBudget, clock, random, logger };
      for (const tool of ALL_TOOLS) {
        if (tool.kind === 'read' || !isReadOnly) tool.register(server, context);
      }
      return server;
    },
  };
}
