const NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const REFUSAL = 'The demo answers at localhost, 127.0.0.1 and [::1] alone: its pages show its key.\n';

/**
 * Returns the refusal of a request whose `Host` is no name of this machine itself, undefined for any other. A page in a person's browser
 * could point a name of its own at this machine, and read what the demo answers there (DNS rebinding).
 */
export function refuseOtherNames({ url }: Request): Response | undefined {
  if (NAMES.has(new URL(url).hostname)) return undefined;
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return new Response(REFUSAL, { status: 403, headers });
}
