import { Buffer } from 'node:buffer';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from 'kalends';
import type { Clock, Random } from 'kalends/ports';
import { ToolRefusal } from '../tool-refusal.ts';

/** A write, as a preview shows it and a commit repeats it. */
export interface PlannedWrite {
  readonly caller: Caller;
  /** Name of the tool that commits. */
  readonly tool: string;
  /** The tool's arguments without the token; JSON. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** State of all records that the preview tells of, such as their etags. */
  readonly state: string;
}

/** Issues tokens for previews, and checks them at the commit. */
export interface PreviewBook {
  /** How long a token is valid, in milliseconds. */
  readonly validMs: number;
  /** Returns a token for exactly this write. */
  issue(write: PlannedWrite): string;
  /**
   * Runs a write once for its token. A write that fails gives its token back. The key is the same for every use of a token, in every
   * process.
   * @throws ToolRefusal for a token of another write, application, key or actor, for one that has expired or was used, and for a state that
   * has changed since
   */
  redeem<Result>(token: string, write: PlannedWrite, run: (key: string) => Promise<Result>): Promise<Result>;
}

const PREFIX = 'pvw_';
const EXPIRY_BYTES = 6;
const NONCE_BYTES = 10;
const STATE_BYTES = 8;
const SEAL_BYTES = 16;
const HEAD_BYTES = EXPIRY_BYTES + NONCE_BYTES + STATE_BYTES;

const AGAIN = 'Nothing was written. Call the preview tool again and commit with its new token.';

export function createPreviewBook(options: {
  readonly key: Uint8Array;
  readonly validMs: number;
  readonly clock: Clock;
  readonly random: Random;
}): PreviewBook {
  const { key, validMs, clock, random } = options;
  /** Expiry of each used token. */
  const used = new Map<string, number>();

  function seal(head: Buffer, { caller, tool, arguments: sent }: PlannedWrite): Buffer {
    const { applicationId, apiKeyId = null, actor } = caller;
    const bound = canonical([applicationId, apiKeyId, actor?.type ?? null, actor?.id ?? null, tool, sent]);
    return createHmac('sha256', key).update(head).update(bound).digest().subarray(0, SEAL_BYTES);
  }

  function forgetExpired(): void {
    for (const [token, expiresAt] of used) {
      if (expiresAt <= clock.now()) used.delete(token);
    }
  }

  return {
    validMs,
    issue(write) {
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUIntBE(clock.now() + validMs, 0, EXPIRY_BYTES);
      head.set(random.bytes(NONCE_BYTES), EXPIRY_BYTES);
      head.set(digest(write.state), EXPIRY_BYTES + NONCE_BYTES);
      return `${PREFIX}${Buffer.concat([head, seal(head, write)]).toString('base64url')}`;
    },
    async redeem(token, write, run) {
      const head = openHead(token, (each) => seal(each, write));
      const expiresAt = head.readUIntBE(0, EXPIRY_BYTES);
      if (expiresAt <= clock.now()) throw new ToolRefusal(`previewToken has expired. ${AGAIN}`);
      forgetExpired();
      if (used.has(token)) {
        throw new ToolRefusal('previewToken was used before: a token writes once. Read the event to see its state.');
      }
      if (!head.subarray(EXPIRY_BYTES + NONCE_BYTES).equals(digest(write.state))) {
        throw new ToolRefusal(`The event has changed since the preview. ${AGAIN}`);
      }
      used.set(token, expiresAt);
      try {
        return await run(`mcp-${head.subarray(EXPIRY_BYTES, EXPIRY_BYTES + NONCE_BYTES).toString('hex')}`);
      } catch (error) {
        used.delete(token);
        throw error;
      }
    },
  };
}

/** Returns the head of a genuine token. @throws ToolRefusal */
function openHead(token: string, seal: (head: Buffer) => Buffer): Buffer {
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  const isWellFormed = bytes.length === HEAD_BYTES + SEAL_BYTES && `${PREFIX}${bytes.toString('base64url')}` === token;
  const head = bytes.subarray(0, HEAD_BYTES);
  if (!isWellFormed || !timingSafeEqual(bytes.subarray(HEAD_BYTES), seal(head))) {
    throw new ToolRefusal(
      `previewToken does not belong to these arguments: a commit repeats every argument of its preview. ${AGAIN}`,
    );
  }
  return head;
}

function digest(state: string): Buffer {
  return createHash('sha256').update(state).digest().subarray(0, STATE_BYTES);
}

/** Returns a JSON value as text, the same for equal values whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
