import type { Activity } from 'kalends/model';
import type { IconName } from '../../parts/icon.tsx';
import type { Tone } from '../../parts/state-label.tsx';
import { providerName } from '../../texts/en/providers.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { timeFrom } from './clock-card.tsx';
import { isQuiet, type TimelineEntry } from './timeline-entries.ts';

const texts = sandboxTexts.timeline;

/** How a line of the timeline is shown. */
export interface EntryWords {
  readonly icon: IconName;
  readonly tone: Tone | 'own';
  readonly kind: string;
  readonly text: string;
  readonly detail?: string | undefined;
}

type Of<Type extends Activity['type']> = Extract<Activity, { type: Type }>;

/** Returns the words for an entry; `emailOf` names accounts. */
export function wordsOf(what: TimelineEntry['what'], emailOf: (accountId: string) => string): EntryWords {
  switch (what.type) {
    case 'own':
      return { icon: 'accounts', tone: 'own', kind: what.who, text: what.text };
    case 'notification.received':
      return { ...head(what, 'download', 'neutral'), text: notificationText(what, emailOf) };
    case 'pull.ended':
      return pullWords(what, emailOf);
    case 'message.enqueued':
      return { ...head(what, 'audit', 'neutral'), text: texts.enqueued(what.eventType) };
    case 'delivery.attempted':
      return deliveryWords(what);
    case 'account.status.changed':
      return accountWords(what, emailOf);
    case 'audit.written':
      return { ...head(what, 'audit', 'neutral'), text: texts.audit(what.action, what.actorType) };
  }
}

const head = (what: Activity, icon: IconName, tone: Tone) => ({ icon, tone, kind: texts.kinds[what.type] });

function placeOf(
  { endUserAccountId, calendarId }: { endUserAccountId: string; calendarId: string | null },
  emailOf: (accountId: string) => string,
): string {
  const email = emailOf(endUserAccountId);
  return calendarId === null ? `${texts.list} of ${email}` : `${email}'s calendar`;
}

function notificationText(what: Of<'notification.received'>, emailOf: (accountId: string) => string): string {
  const provider = providerName(what.providerType);
  const place = placeOf(what, emailOf);
  if (what.kinds.includes('changed')) return texts.notified(provider, place);
  return what.kinds.includes('missed') ? texts.missed(provider, place) : texts.ending(provider, place);
}

function pullWords(what: Of<'pull.ended'>, emailOf: (accountId: string) => string): EntryWords {
  const place = placeOf(what, emailOf);
  if (isQuiet(what)) return { ...head(what, 'refresh', 'neutral'), text: texts.quiet(place) };
  if (what.outcome === 'failed') {
    return { ...head(what, 'refresh', 'bad'), text: texts.pullFailed(place, what.errorCode ?? '') };
  }
  if (what.outcome === 'ok') {
    return { ...head(what, 'refresh', 'good'), text: texts.pulled(place, what.changed ?? 0, what.durationMs) };
  }
  const text = what.outcome === 'postponed' ? texts.pullPostponed(place) : texts.pullAbandoned(place);
  return { ...head(what, 'refresh', 'warning'), text };
}

function deliveryWords(what: Of<'delivery.attempted'>): EntryWords {
  const { status, latencyMs, outcome, nextAttemptAt } = what;
  if (outcome === 'delivered') {
    return { ...head(what, 'webhooks', 'good'), text: texts.delivered(status ?? 0, latencyMs) };
  }
  const why = texts.failed(status === null ? texts.noAnswer : texts.answered(status));
  const next =
    nextAttemptAt === null ? undefined : texts.retry(timeFrom(Date.parse(what.at), Date.parse(nextAttemptAt)));
  return {
    ...head(what, 'webhooks', outcome === 'retry' ? 'warning' : 'bad'),
    text: why,
    detail: outcome === 'retry' ? next : texts[outcome],
  };
}

function accountWords(what: Of<'account.status.changed'>, emailOf: (accountId: string) => string): EntryWords {
  const email = emailOf(what.endUserAccountId);
  if (what.status === null) return { ...head(what, 'accounts', 'warning'), text: texts.deleted(email) };
  return {
    ...head(what, 'accounts', what.status === 'ACTIVE' ? 'good' : 'bad'),
    text: texts.status(email, what.status),
  };
}

/** Returns the message whose webhook an entry tells of. */
export const messageOf = (what: TimelineEntry['what']): string | undefined =>
  what.type === 'delivery.attempted' ? what.messageId : undefined;
