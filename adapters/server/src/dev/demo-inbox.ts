import type { DemoControls } from '@kalends/dashboard';
import type { Clock } from 'kalends/ports';
import { z } from 'zod';
import { isSigned } from '../tour/receiver.ts';
import { badInput } from './control-answer.ts';

/** Path of the receiver. */
const INBOX_PATH = '/demo/inbox';
const POSTS_KEPT = 200;
const LONGEST_BODY = 64_000;
/** Age at which Standard Webhooks tells receivers to refuse a message. */
const LONGEST_AGE_MS = 5 * 60_000;

/** A webhook that arrived, and whether a receiver should believe it. */
interface InboxPost {
  /** Rises by one per webhook. */
  readonly number: number;
  /** On the demo's clock. */
  readonly at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verdict: 'verified' | 'wrong-signature' | 'too-old';
  /** Status of the inbox's answer. */
  readonly answered: number;
}

/** A receiver of webhooks for the demo, which shows what came. */
export interface DemoInbox {
  /** Answers a webhook; undefined for any other request. */
  receive(request: Request): Promise<Response | undefined>;
  /** Answers at `/inbox`; undefined for other paths. */
  readonly controls: (...input: Parameters<DemoControls>) => Promise<Response | undefined>;
}

export interface DemoInboxOptions {
  readonly siteUrl: string;
  /** The demo's clock, by which signatures age. */
  readonly clock: Clock;
  /** The secrets of the subscriptions that lead here. */
  readonly kept: { readInboxSecrets(): readonly string[]; writeInboxSecrets(secrets: readonly string[]): void };
}

const secretBody = z.strictObject({ secret: z.string().startsWith('whsec_') });
const answerBody = z.strictObject({ status: z.int().min(200).max(599), times: z.int().min(1).max(100) });

/** Creates the inbox, empty but for the secrets that are kept. */
export function createDemoInbox({ siteUrl, clock, kept }: DemoInboxOptions): DemoInbox {
  const secrets = new Set(kept.readInboxSecrets());
  let posts: InboxPost[] = [];
  let received = 0;
  let failure: { readonly status: number; times: number } | undefined;

  const view = (after: number) => ({
    url: `${siteUrl}${INBOX_PATH}`,
    failure: failure ?? null,
    posts: posts.filter(({ number }) => number > after),
  });

  function verdictOf(headers: InboxPost['headers'], body: string): InboxPost['verdict'] {
    const isGenuine = [...secrets].some((secret) => isSigned({ headers, body }, secret));
    if (!isGenuine) return 'wrong-signature';
    return Math.abs(clock.now() - Number(headers['hook-timestamp']) * 1_000) > LONGEST_AGE_MS ? 'too-old' : 'verified';
  }

  function nextStatus(): number {
    if (failure === undefined) return 204;
    const { status } = failure;
    failure = failure.times > 1 ? { status, times: failure.times - 1 } : undefined;
    return status;
  }

  return {
    async receive(request) {
      if (request.method !== 'POST' || new URL(request.url).pathname !== INBOX_PATH) return undefined;
      const body = (await request.text()).slice(0, LONGEST_BODY);
      const headers = Object.fromEntries(request.headers);
      const answered = nextStatus();
      received += 1;
      const at = new Date(clock.now()).toISOString();
      posts.push({ number: received, at, headers, body, verdict: verdictOf(headers, body), answered });
      posts = posts.slice(-POSTS_KEPT);
      return new Response(null, { status: answered });
    },
    async controls(request, path) {
      switch (`${request.method} ${path}`) {
        case 'GET /inbox':
          return Response.json(view(Number(new URL(request.url).searchParams.get('after') ?? 0)));
        case 'POST /inbox/secrets': {
          const sent = secretBody.safeParse(await request.json().catch(() => undefined));
          if (!sent.success) return badInput('secret: must be the secret of a subscription, whsec_…');
          secrets.add(sent.data.secret);
          kept.writeInboxSecrets([...secrets]);
          return Response.json(view(received));
        }
        case 'PUT /inbox/answer': {
          const sent = answerBody.safeParse(await request.json().catch(() => undefined));
          if (!sent.success) return badInput('status: must be from 200 to 599; times: must be from 1 to 100');
          failure = sent.data;
          return Response.json(view(received));
        }
        case 'DELETE /inbox/answer':
          failure = undefined;
          return Response.json(view(received));
        default:
          return undefined;
      }
    },
  };
}
