import { z } from 'zod';
import { notificationHead, postNotification, recordUpdated } from './changes.ts';
import type { MicrosoftSettings, MicrosoftWorld, StoredCalendar, StoredSubscription } from './state.ts';

type Control = (input: Readonly<Record<string, unknown>>) => unknown;

const share = z.number().min(0).max(1);
const address = z.string().transform((text) => text.toLowerCase());
const maybeAddress = z.strictObject({ email: address.optional() });

/** Reads the input of a control. @throws RangeError naming the field */
function control<T>(world: MicrosoftWorld, schema: z.ZodType<T>, run: (input: T) => unknown): Control {
  return (input) => {
    const result = schema.safeParse(input);
    if (!result.success) {
      const issue = result.error.issues[0]!;
      throw new RangeError(`${issue.path.join('.') || 'input'}: ${issue.message}`);
    }
    const answer = run(result.data);
    world.kernel.touched();
    return answer ?? {};
  };
}

function calendarBehind(world: MicrosoftWorld, email: string, calendarId: string | undefined): StoredCalendar {
  const links = world.state.mailboxes[email]?.calendarLinks ?? [];
  const link = calendarId === undefined ? links[0] : links.find(({ id }) => id === calendarId);
  const calendar = link && world.state.calendars[link.calendarKey];
  if (!calendar) throw new RangeError(`calendarId: no such calendar of ${email}`);
  return calendar;
}

function accountControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  return {
    /** Ends the consent of a person (of everybody without `email`): refreshes answer AADSTS50173. */
    revokeGrant: control(world, maybeAddress.extend({ clientId: z.string().optional() }), ({ email, clientId }) => {
      const { grants } = world.state;
      const now = world.kernel.clock.now();
      const hit = Object.values(grants).filter(
        (grant) =>
          grant.revokedAt === null &&
          (email === undefined || grant.email === email) &&
          (clientId === undefined || grant.clientId === clientId),
      );
      for (const grant of hit) grant.revokedAt = now;
      return { revoked: hit.length };
    }),
    emptyDeletedItems: control(world, maybeAddress, ({ email }) => {
      const hit = Object.values(world.state.calendars).filter(
        ({ ownerEmail }) => email === undefined || ownerEmail === email.toLowerCase(),
      );
      const emptied = hit.flatMap(({ declined }) => Object.keys(declined ?? {})).length;
      for (const calendar of hit) calendar.declined = {};
      return { emptied };
    }),
    expireAccessTokens: control(world, maybeAddress, ({ email }) => {
      const { accessTokens, grants } = world.state;
      const hit = Object.values(accessTokens).filter(
        ({ grantId }) => email === undefined || grants[grantId]?.email === email,
      );
      for (const token of hit) token.expiresAt = world.kernel.clock.now();
      return { expired: hit.length };
    }),
    /** The next `times` token requests of a person (of anybody without `email`) fail with this AADSTS code. */
    setInvalidGrantCode: control(
      world,
      maybeAddress.extend({ code: z.int().positive(), times: z.int().positive().default(1) }),
      ({ email, code, times }) => {
        world.state.settings.plannedTokenErrors.push({ email: email ?? null, code, times });
      },
    ),
  };
}

function syncControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  const tokenError = z.enum(['syncStateNotFound', 'syncStateInvalid', 'resyncRequired']);
  return {
    /** Every delta token issued before now answers 410 with this code. */
    expireDeltaTokens: control(world, z.strictObject({ code: tokenError.default('syncStateNotFound') }), ({ code }) => {
      world.state.settings.deltaTokensDeadBefore = world.kernel.clock.now() + 1;
      world.state.settings.deltaTokenError = code;
    }),
    /** Shares of delta oddities; 0 switches one off, 1 makes it happen always. */
    setDeltaUnreliability: control(
      world,
      z.strictObject({
        missedOccurrenceDeletions: share.optional(),
        repeatedDeltaEntities: share.optional(),
        omittedDeltaMasters: share.optional(),
      }),
      (input) => {
        Object.assign(world.state.settings, input satisfies Partial<MicrosoftSettings>);
      },
    ),
    /** Gives every event of a calendar (the default one without `calendarId`) a new change key, its content unchanged. */
    bumpChangeKeys: control(
      world,
      z.strictObject({ email: address, calendarId: z.string().optional() }),
      ({ email, calendarId }) => {
        const calendar = calendarBehind(world, email, calendarId);
        const events = Object.values(calendar.events);
        for (const event of events) recordUpdated(world, calendar, event);
        return { bumped: events.length };
      },
    ),
    /** Share of writes after which the change key changes again by itself. */
    setExtraChangeKeys: control(world, z.strictObject({ share }), (input) => {
      world.state.settings.extraChangeKeys = input.share;
    }),
  };
}

function subscriptionsOf(world: MicrosoftWorld, email: string | undefined): StoredSubscription[] {
  return Object.values(world.state.subscriptions).filter((each) => email === undefined || each.email === email);
}

function subscriptionControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  return {
    /** Removes subscriptions without a word, as if they had run out. */
    expireSubscriptions: control(world, maybeAddress, ({ email }) => {
      const hit = subscriptionsOf(world, email);
      for (const { id } of hit) delete world.state.subscriptions[id];
      return { expired: hit.length };
    }),
    /** Sends a lifecycle notification; `subscriptionRemoved` removes the subscription as well. */
    sendLifecycle: control(
      world,
      maybeAddress.extend({ event: z.enum(['reauthorizationRequired', 'subscriptionRemoved', 'missed']) }),
      ({ email, event }) => {
        const hit = subscriptionsOf(world, email).filter((each) => each.lifecycleNotificationUrl !== null);
        for (const subscription of hit) {
          if (event === 'subscriptionRemoved') delete world.state.subscriptions[subscription.id];
          postNotification(world, subscription.lifecycleNotificationUrl!, {
            ...notificationHead(subscription),
            lifecycleEvent: event,
            resource: subscription.resource,
          });
        }
        return { sent: hit.length };
      },
    ),
  };
}

function settingControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  const flag = z.strictObject({ enabled: z.boolean() });
  return {
    /** Requests per mailbox at a time; null ends the limit. */
    setConcurrencyLimit: control(
      world,
      z.strictObject({
        limit: z.int().positive().nullable(),
        holdMs: z.int().min(0).optional(),
        retryAfterSeconds: z.int().min(0).optional(),
      }),
      ({ limit, holdMs, retryAfterSeconds }) => {
        const { settings } = world.state;
        settings.concurrencyLimit = limit;
        settings.concurrencyHoldMs = holdMs ?? settings.concurrencyHoldMs;
        settings.retryAfterSeconds = retryAfterSeconds ?? settings.retryAfterSeconds;
      },
    ),
    /** Calendars created from now on answer a temporary id first; only the list shows the lasting one. */
    setCalendarIdQuirk: control(world, flag, ({ enabled }) => {
      world.state.settings.calendarIdQuirk = enabled;
    }),
    /** Whether HTML bodies come wrapped into a document, as Graph sends them. */
    setHtmlWrapping: control(world, flag, ({ enabled }) => {
      world.state.settings.htmlWrapping = enabled;
    }),
    /** Whether zones given by IANA names come back under Windows names. */
    setZoneNaming: control(world, z.strictObject({ naming: z.enum(['asGiven', 'windows']) }), ({ naming }) => {
      world.state.settings.zoneNaming = naming;
    }),
    /** Whether a change of a series' range alone drops its exceptions too. */
    setDropExceptionsOnRangeChange: control(world, flag, ({ enabled }) => {
      world.state.settings.dropExceptionsOnRangeChange = enabled;
    }),
    /** How long a transaction id is remembered: the same one makes a second event afterwards. */
    setTransactionLife: control(world, z.strictObject({ ms: z.int().min(0) }), ({ ms }) => {
      world.state.settings.transactionLifeMs = ms;
    }),
    /** How long a meeting that is asked for from now on waits for its join link. */
    setMeetingDelay: control(world, z.strictObject({ ms: z.int().min(0) }), ({ ms }) => {
      world.state.settings.meetingDelayMs = ms;
    }),
    /** How long a refresh token works after it was replaced, and a delta token after it was issued. */
    setTokenLives: control(
      world,
      z.strictObject({ refreshGraceMs: z.int().min(0).optional(), deltaTokenLifeMs: z.int().min(0).optional() }),
      (input) => {
        Object.assign(world.state.settings, input satisfies Partial<MicrosoftSettings>);
      },
    ),
    /** Which online meetings a calendar allows; none by an empty list. */
    setOnlineMeetingProviders: control(
      world,
      z.strictObject({ email: address, calendarId: z.string().optional(), providers: z.array(z.string()) }),
      ({ email, calendarId, providers }) => {
        calendarBehind(world, email, calendarId).allowedOnlineMeetingProviders = providers;
      },
    ),
    /** Names the zones of every event of a calendar so that no table knows them (`tzone://Microsoft/Custom`). */
    setZoneLabel: control(
      world,
      z.strictObject({ email: address, calendarId: z.string().optional(), label: z.string().min(1) }),
      ({ email, calendarId, label }) => {
        const calendar = calendarBehind(world, email, calendarId);
        for (const event of Object.values(calendar.events)) {
          event.originalStartTimeZone = label;
          event.originalEndTimeZone = label;
          if (event.series) event.series.zoneLabel = label;
          recordUpdated(world, calendar, event);
        }
      },
    ),
  };
}

/** The control verbs of this server, by name. Each takes one JSON object and answers one. */
export function createControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  return {
    ...accountControls(world),
    ...syncControls(world),
    ...subscriptionControls(world),
    ...settingControls(world),
  };
}
