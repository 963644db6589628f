import { z } from 'zod';
import { address, type Control, calendarBehind, control, maybeAddress, share } from './control.ts';
import { addAttachment } from './events/attachments.ts';
import { faultControls } from './fault-controls.ts';
import { type MicrosoftSettings, type MicrosoftWorld, SCHEDULE_DETAILS, type StoredSubscription } from './state.ts';
import { notificationHead, postNotification, recordUpdated } from './sync/changes.ts';

function accountControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  return {
    /** Ends the consent of a person (of all without `email`): refreshes answer AADSTS50173. */
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
    /** Lets the secret of a client expire, or live again: AADSTS7000222. */
    setSecretExpired: control(
      world,
      z.strictObject({ clientId: z.string(), expired: z.boolean().default(true) }),
      ({ clientId, expired }) => {
        const client = world.state.clients[clientId];
        if (client === undefined) throw new RangeError(`clientId: no client ${clientId}`);
        world.state.clients[clientId] = { ...client, isSecretExpired: expired };
      },
    ),
    /** Fails the next `times` token requests of a person (of all without `email`) with this AADSTS code. */
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
    /** Expires every delta token issued before now: 410 with this code. */
    expireDeltaTokens: control(world, z.strictObject({ code: tokenError.default('syncStateNotFound') }), ({ code }) => {
      world.state.settings.deltaTokensDeadBefore = world.kernel.clock.now() + 1;
      world.state.settings.deltaTokenError = code;
    }),
    /** Sets the shares of delta oddities: 0 is never, 1 is always. */
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
    /** Sets the share of writes after which the change key changes a second time. */
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
    /** Removes subscriptions without a notification, as if they had expired. */
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
    /** Sets what others see of a person's time by getSchedule. */
    setScheduleDetail: control(
      world,
      z.strictObject({ email: address, detail: z.enum(SCHEDULE_DETAILS) }),
      ({ email, detail }) => {
        world.state.settings.scheduleDetails[email] = detail;
      },
    ),
    /** Sets the concurrent requests per mailbox; null ends the limit. */
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
    /** Lets new calendars answer a temporary id first; only the list shows the lasting one. */
    setCalendarIdQuirk: control(world, flag, ({ enabled }) => {
      world.state.settings.calendarIdQuirk = enabled;
    }),
    /** Sets whether HTML bodies come wrapped into a document, as Graph sends them. */
    setHtmlWrapping: control(world, flag, ({ enabled }) => {
      world.state.settings.htmlWrapping = enabled;
    }),
    /** Sets whether zones written by IANA names are answered by Windows names. */
    setZoneNaming: control(world, z.strictObject({ naming: z.enum(['asGiven', 'windows']) }), ({ naming }) => {
      world.state.settings.zoneNaming = naming;
    }),
    /** Sets whether a change of a series' range alone drops its exceptions. */
    setDropExceptionsOnRangeChange: control(world, flag, ({ enabled }) => {
      world.state.settings.dropExceptionsOnRangeChange = enabled;
    }),
    /** Sets the life of transaction ids: after it the same id creates a second event. */
    setTransactionLife: control(world, z.strictObject({ ms: z.int().min(0) }), ({ ms }) => {
      world.state.settings.transactionLifeMs = ms;
    }),
    /** Sets the delay of join links of meetings requested from now on. */
    setMeetingDelay: control(world, z.strictObject({ ms: z.int().min(0) }), ({ ms }) => {
      world.state.settings.meetingDelayMs = ms;
    }),
    /** Sets the life of refresh tokens after their replacement, and of delta tokens after their issue. */
    setTokenLives: control(
      world,
      z.strictObject({ refreshGraceMs: z.int().min(0).optional(), deltaTokenLifeMs: z.int().min(0).optional() }),
      (input) => {
        Object.assign(world.state.settings, input satisfies Partial<MicrosoftSettings>);
      },
    ),
    listMails: control(world, z.strictObject({}), () => world.state.mails),
    /** Sets the online meetings that a calendar allows; an empty list allows none. */
    setOnlineMeetingProviders: control(
      world,
      z.strictObject({ email: address, calendarId: z.string().optional(), providers: z.array(z.string()) }),
      ({ email, calendarId, providers }) => {
        calendarBehind(world, email, calendarId).allowedOnlineMeetingProviders = providers;
      },
    ),
    addAttachment: addAttachment(world),
    /** Labels the zones of a calendar's events with a name that no table has (`tzone://Microsoft/Custom`). */
    setZoneLabel: control(
      world,
      z.strictObject({
        email: address,
        calendarId: z.string().optional(),
        label: z.string().min(1),
        parts: z.array(z.enum(['recurrence', 'start', 'end'])).default(['recurrence', 'start', 'end']),
      }),
      ({ email, calendarId, label, parts }) => {
        const calendar = calendarBehind(world, email, calendarId);
        for (const event of Object.values(calendar.events)) {
          if (parts.includes('start')) event.originalStartTimeZone = label;
          if (parts.includes('end')) event.originalEndTimeZone = label;
          if (event.series && parts.includes('recurrence')) event.series.zoneLabel = label;
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
    ...faultControls(world),
  };
}
