import type { DemoControls } from '@kalends/dashboard';
import type { HostClock, Sandbox } from '@kalends/sandbox';
import type { Clock } from 'kalends/ports';
import { z } from 'zod';
import { ClockTurningError, type DemoClock } from './clock/demo-clock.ts';
import { refusal } from './control-answer.ts';
import { calDavUrl } from './demo-caldav.ts';
import type { DemoInbox } from './demo-inbox.ts';

export interface SandboxControlsOptions {
  readonly sandbox: Pick<Sandbox, 'fetch'>;
  /** Root URL at which the sandbox listens. */
  readonly sandboxUrl: string;
  readonly clock: DemoClock;
  readonly inbox: Pick<DemoInbox, 'controls'>;
  /** Begins a turn of the clock, which goes on after the answer. */
  readonly begin: HostClock['advance'];
  /** Real time, for the pace of progress. */
  readonly base: Clock;
}

const PROGRESS_EVERY_MS = 200;

const advanceBody = z.strictObject({ ms: z.number() });

/**
 * Creates the controls that a page of the demo uses: the clock of engine and sandbox together, the inbox, and the sandbox's own
 * control API for everything else. Paths are those below `/_sandbox`. The dashboard asks them for people who are signed in alone.
 */
export function createSandboxControls(options: SandboxControlsOptions): DemoControls {
  const { sandbox, sandboxUrl, clock, inbox, base } = options;
  return async (request, path) => {
    switch (`${request.method} ${path}`) {
      case 'GET /clock':
        return Response.json(clockView(clock));
      case 'POST /clock/advance':
        return await advance(options, request);
      case 'GET /clock/progress':
        return new Response(progressOf(clock, base), { headers: { 'content-type': 'application/x-ndjson' } });
      case 'POST /reset':
        return refusal(
          409,
          'the demo cannot go on without its mailboxes: delete the folder .kalends and start it again',
        );
      case 'POST /caldav/app-passwords':
        return await withServerUrl(await passOn(sandbox, request, path), calDavUrl(sandboxUrl));
      default:
        return (await inbox.controls(request, path)) ?? (await passOn(sandbox, request, path));
    }
  };
}

function clockView(clock: DemoClock) {
  const now = clock.now();
  return { epochMs: now, iso: new Date(now).toISOString(), offsetMs: clock.offsetMs(), turn: clock.turn() ?? null };
}

async function advance({ clock, begin }: SandboxControlsOptions, request: Request): Promise<Response> {
  const body = advanceBody.safeParse(await request.json().catch(() => undefined));
  if (!body.success) return refusal(400, 'ms: must be a number of milliseconds, and the only field of a JSON object');
  try {
    begin(body.data.ms);
  } catch (error) {
    if (error instanceof ClockTurningError) return refusal(409, error.message);
    if (error instanceof RangeError) return refusal(400, error.message);
    throw error;
  }
  return Response.json(clockView(clock), { status: 202 });
}

/** Streams the clock as lines of JSON until no turn runs; the last line has none. */
function progressOf(clock: DemoClock, base: Clock): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = new AbortController();
  return new ReadableStream({
    async pull(controller) {
      const view = clockView(clock);
      controller.enqueue(encoder.encode(`${JSON.stringify(view)}\n`));
      if (view.turn === null) controller.close();
      else await base.sleep(PROGRESS_EVERY_MS, reader.signal).catch(() => undefined);
    },
    cancel: () => reader.abort(),
  });
}

async function passOn(sandbox: SandboxControlsOptions['sandbox'], request: Request, path: string): Promise<Response> {
  const { method, url } = request;
  const body = method === 'GET' || method === 'HEAD' ? undefined : await request.text();
  const type = request.headers.get('content-type');
  const response = await sandbox.fetch(
    new Request(`http://sandbox.invalid/_sandbox${path}${new URL(url).search}`, {
      method,
      ...(type === null ? {} : { headers: { 'content-type': type } }),
      ...(body === undefined || body === '' ? {} : { body }),
    }),
  );
  return await withProblem(response);
}

/** Tells the page where an app password is good: it knows no address of the sandbox. */
async function withServerUrl(response: Response, serverUrl: string): Promise<Response> {
  if (!response.ok) return response;
  const answer = (await response.json()) as { readonly password: string };
  return Response.json({ ...answer, serverUrl }, { status: response.status });
}

/** Gives a refusal of the sandbox the form that pages read. */
async function withProblem(response: Response): Promise<Response> {
  if (response.ok) return response;
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return refusal(response.status, error.message);
}
