import { type AuthorizeUrlOptions, authorizeUrl } from '../authorize-url.ts';

/** Options of `authorizeUrl` as a page gives them: addresses may be relative to it. */
export type ConnectTarget = AuthorizeUrlOptions;

const PROMPTS: readonly (string | null)[] = ['consent', 'select_account', 'none'];

/**
 * Returns the URL that connects a mailbox, for a page at `base`: `/api` is resolved against it, and an absolute `redirectUrl`
 * stays as it is written, since it must equal a registered one.
 * @throws TypeError that names the attribute, when one is missing or not valid
 */
export function connectUrl(target: ConnectTarget, base: string): string {
  if (target.applicationId === '') throw new TypeError('"application-id" is required');
  const { baseUrl, redirectUrl, ...rest } = target;
  return authorizeUrl({
    ...rest,
    baseUrl: resolved('base-url', baseUrl, base),
    redirectUrl: redirectUrl === undefined || isAbsolute(redirectUrl) ? redirectUrl : new URL(redirectUrl, base).href,
  });
}

/** Returns the attribute `prompt`. @throws TypeError for other than the three that there are */
export function parsePrompt(text: string | null): AuthorizeUrlOptions['prompt'] {
  if (text === null) return undefined;
  if (isPrompt(text)) return text;
  throw new TypeError(`"prompt" is one of ${PROMPTS.join(', ')}`);
}

const isPrompt = (text: string): text is NonNullable<AuthorizeUrlOptions['prompt']> => PROMPTS.includes(text);

function resolved(name: string, address: string, base: string): string {
  if (address === '') throw new TypeError(`"${name}" is required`);
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  // The browser goes there: `javascript:` would run in the page.
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new TypeError(`"${name}" is not an http or https address`);
}

const isAbsolute = (address: string) => URL.canParse(address);
