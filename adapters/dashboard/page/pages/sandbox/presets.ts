import type { Call } from '../../api/request.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { type Mailbox, pathOfMailbox } from './mailboxes.ts';

const texts = sandboxTexts.faults.presets;

/** A fault to arm, in plain words, and the calls that arm it. */
export interface Preset {
  readonly name: string;
  readonly effect: string;
  readonly call: Call;
  /** True for what cannot be cleared again. */
  readonly isFinal?: boolean;
}

const THROTTLED = {
  google: { error: { code: 429, message: 'Rate Limit Exceeded', errors: [{ reason: 'rateLimitExceeded' }] } },
  microsoft: { error: { code: 'TooManyRequests', message: 'The request has been throttled.' } },
  caldav: 'Too many requests.\n',
};

/** Paths of each provider's calendars, as patterns. */
const CALENDARS = { google: '/calendar/.*', microsoft: '/v1.0/.*', caldav: '/calendars/.*' };
const EXPIRY = { google: 'expireSyncTokens', microsoft: 'expireDeltaTokens', caldav: 'expireSyncTokens' };

/** Returns the faults for the provider of a mailbox. */
export function presetsFor(mailbox: Mailbox): readonly Preset[] {
  const { provider, email } = mailbox;
  const name = sandboxTexts.providers[provider];
  const arm = (fault: object): Call => ({
    method: 'POST',
    path: '/sandbox/faults',
    body: { provider, path: CALENDARS[provider], ...fault },
  });
  const notifications = (body: object): Call => ({ method: 'PUT', path: '/sandbox/notification-faults', body });
  const preset = ([title, effect]: readonly [string, string], call: Call, isFinal = false): Preset => ({
    name: title,
    effect,
    call,
    isFinal,
  });
  return [
    preset(texts.down(name), arm({ kind: 'answer', status: 503, times: 3 })),
    preset(
      texts.throttle(name),
      arm({ kind: 'answer', status: 429, times: 5, headers: { 'retry-after': '30' }, body: THROTTLED[provider] }),
    ),
    preset(texts.slow(name), arm({ kind: 'delay', delayMs: 5_000, times: 3 })),
    preset(texts.reset(), arm({ kind: 'reset', times: 2 })),
    preset(
      texts.lost(),
      arm({ kind: 'answer-after', method: provider === 'caldav' ? 'PUT' : 'POST', status: 500, times: 1 }),
    ),
    preset(texts.drop(), notifications({ drop: 0.5 })),
    preset(texts.twice(), notifications({ duplicate: 1 })),
    preset(texts.receiver(), { method: 'PUT', path: '/sandbox/inbox/answer', body: { status: 500, times: 3 } }),
    preset(
      texts.tokens(name),
      { method: 'POST', path: `/sandbox/${provider}/controls/${EXPIRY[provider]}`, body: {} },
      true,
    ),
    preset(texts.revoke(email), { method: 'POST', path: pathOfMailbox(mailbox, '/revoke') }, true),
  ];
}
