import { calendarEvent, calendar as calendarShape, deletedEvent } from 'kalends/model';
import { type DistortedAnswers, type Distortion, Several } from '../interface/distorted-answers.ts';
import { eventsPath } from '../interface/steps.ts';
import type { Answer, Json, ProviderName, World } from '../interface/world.ts';
import type { Dice } from '../simulation/dice.ts';
import { type Mailbox, type PlacedObject, WINDOW } from './mailbox.ts';
import { mutated } from './mutations.ts';
import { wideCalendar, wideEvent } from './wide-objects.ts';

/** Share of the events that are read one by one. */
const SHARE_READ = 0.2;
/** Shorter than the timeout of any request. */
const HOUR_MS = 3_600_000;
const TURN_MS = 5_000;
const MOST_TURNS = 10_000;

export interface HistoryStage {
  readonly world: World;
  readonly provider: ProviderName;
  readonly answers: DistortedAnswers;
  readonly mailbox: Mailbox;
  readonly dice: Dice;
  /** Lets time pass, and waits until what it has started is done. */
  pass(ms: number): Promise<void>;
  /** Resolves with the next reconciliation of the mailbox's calendar. */
  reconciled(): Promise<void>;
}

/** A record without the time of its last change, which a provider may move at will. */
type Shown = Readonly<Record<string, unknown>>;
type Records = ReadonlyMap<string, Shown>;

interface View {
  readonly plain: Records;
  readonly expanded: Records;
}

/** The mirrored mailbox of a client that reads through the interface. */
export function createHistory(stage: HistoryStage) {
  const { world, provider, answers, mailbox, dice } = stage;
  const { accountId, email, calendarId, objects, calendarIds } = mailbox;
  const path = eventsPath(mailbox);
  const followed = new Map<string, Shown>();
  let syncToken: string | undefined;

  /** Asks the interface. An answer above 499 is allowed for the one object that it names. */
  async function ask(method: string, at: string, body?: object, about?: string): Promise<Answer> {
    // A later read pulls anew.
    await stage.pass(1);
    const answer = await world.call(method, at, body === undefined ? {} : { body });
    if (answer.status <= 499) return answer;
    const isNamed = answer.status === 502 && answer.body.code === 'ProviderError' && about !== undefined;
    if (!isNamed || !JSON.stringify(answer.body).includes(about)) {
      throw new Error(`${method} ${at} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer;
  }

  async function read(at: string): Promise<Json> {
    const answer = await ask('GET', at);
    if (answer.status !== 200) throw new Error(`GET ${at} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async function list(query: string): Promise<{ readonly records: readonly Json[]; readonly token: string }> {
    const records: Json[] = [];
    for (let more = ''; ; ) {
      const page = await read(`${path}?${query}${more}`);
      records.push(...page.data);
      if (page.nextPageToken == null) return { records, token: page.nextSyncToken };
      more = `&pageToken=${encodeURIComponent(page.nextPageToken)}`;
    }
  }

  function checkShape(record: Json): void {
    const { error } = (record.isDeleted === true ? deletedEvent : calendarEvent).safeParse(record);
    if (error) throw new Error(`${record.id} is shown out of shape: ${error.message}`);
    if (record.isDeleted === true) return;
    const isOdd = [record.start, record.end].some(({ dateTime }) => Number.isNaN(Date.parse(dateTime)));
    if (isOdd || record.id === '') throw new Error(`${record.id} has odd times: ${JSON.stringify(record)}`);
  }

  async function view(): Promise<View> {
    const { records } = await list('limit=200');
    const { records: slots } = await list(`limit=200&expandRecurrences=true&${WINDOW}`);
    for (const record of [...records, ...slots]) checkShape(record);
    return { plain: byId(records), expanded: byId(slots) };
  }

  async function follow(): Promise<void> {
    const query = syncToken === undefined ? 'limit=200' : `limit=200&syncToken=${encodeURIComponent(syncToken)}`;
    const { records, token } = await list(query);
    for (const record of records) {
      checkShape(record);
      if (record.isDeleted === true) followed.delete(record.id);
      else followed.set(record.id, shown(record));
    }
    syncToken = token;
  }

  async function calendars(): Promise<Records> {
    const { data } = await read(`/v1/calendars/${accountId}`);
    for (const calendar of data) {
      const { error } = calendarShape.safeParse(calendar);
      if (error) throw new Error(`calendar ${calendar.id} is shown out of shape: ${error.message}`);
    }
    return byId(data);
  }

  async function unreadable(): Promise<readonly Json[]> {
    const found: Json[] = [];
    for (let more = ''; ; ) {
      const { data, nextPageToken } = await read(`/v1/endUserAccounts/${accountId}/unreadableObjects${more}`);
      found.push(...data);
      if (nextPageToken == null) return found;
      more = `?pageToken=${encodeURIComponent(nextPageToken)}`;
    }
  }

  const eventsAt = `${provider === 'google' ? '/calendars' : '/me/calendars'}/${encodeURIComponent(calendarId)}/events`;
  const titleField = provider === 'google' ? 'summary' : 'subject';

  /** Makes the provider report an object as changed. */
  async function touch(id: string, title?: string): Promise<void> {
    const at = `${eventsAt}/${encodeURIComponent(id)}`;
    const value = title ?? (await world.atProvider(provider, email, 'GET', at))[titleField];
    await world.atProvider(provider, email, 'PATCH', at, { [titleField]: value });
  }

  function distortion(wide: (provider: ProviderName, wire: Json) => Json): Distortion {
    const own = dice.split();
    // Each answer shows the object alike, as a provider would.
    let seen: Json;
    const isTwice = dice.chance(0.05);
    return (wire) => {
      seen ??= mutated(wide(provider, wire), own);
      return isTwice ? new Several([wire, seen]) : seen;
    };
  }

  function distortSome(share: number): readonly PlacedObject[] {
    const odd = objects.filter(({ providerId }) => providerId !== witness.providerId && dice.chance(share));
    for (const { providerId } of odd) answers.byId.set(providerId, distortion(wideEvent));
    return odd;
  }

  async function find(title: string): Promise<PlacedObject> {
    const { records } = await list('limit=200');
    const record = records.find((each) => each.title === title);
    const object = objects.find(({ providerId }) => providerId === record?.id);
    if (object === undefined) throw new Error(`there is no event ${title}`);
    return object;
  }

  let witness: PlacedObject;
  let written: PlacedObject;
  let truth: View;
  let calendarTruth: Records;
  let rounds = 0;

  /** Checks that all records that no distortion concerns are as they were. */
  function checkGood(now: View, odd: readonly PlacedObject[]): void {
    const oddIds = new Set(odd.map(({ providerId }) => providerId));
    const oddSeries = new Set(odd.flatMap(({ seriesId }) => (seriesId === null ? [] : [seriesId])));
    const isOddSlot = ({ recurringEventId, originalStart }: Json) =>
      odd.some(({ seriesId, slotMs }) => seriesId === recurringEventId && isSameSlot(slotMs, originalStart));
    for (const [id, record] of truth.plain) {
      const of = record as Json;
      if (id === witness.providerId || oddIds.has(id) || oddIds.has(of.recurringEventId) || isOddSlot(of)) continue;
      requireSame(`${id} in the list`, now.plain.get(id), record);
    }
    for (const [id, record] of truth.expanded) {
      const group = (record as Json).recurringEventId ?? id;
      if (id === witness.providerId || oddIds.has(group) || oddSeries.has(group)) continue;
      requireSame(`${id} in the expanded list`, now.expanded.get(id), record);
    }
  }

  async function checkBusy(odd: readonly PlacedObject[]): Promise<void> {
    const [from, to] = ['2027-01-01T00:00:00Z', '2027-12-31T00:00:00Z'];
    const body = { startDateTime: from, endDateTime: to, timeZone: 'UTC', calendarIds: [calendarId] };
    const answer = await ask('POST', `/v1/freeBusy/${accountId}`, body);
    if (answer.status !== 200) throw new Error(`free/busy answered ${JSON.stringify(answer.body)}`);
    const slots: Json[] = answer.body[0].busySlots;
    const ids = new Set(odd.flatMap(({ providerId, seriesId }) => [providerId, seriesId]));
    for (const record of truth.expanded.values()) {
      const { id, recurringEventId = id, isAllDay, transparency, isCancelled, start, end } = record as Json;
      if (ids.has(recurringEventId) || isAllDay || isCancelled || transparency === 'transparent') continue;
      const isCovered = slots.some(
        (slot) =>
          Date.parse(slot.start.dateTime) <= Date.parse(start.dateTime) &&
          Date.parse(slot.end.dateTime) >= Date.parse(end.dateTime),
      );
      if (!isCovered) throw new Error(`${id} is not busy`);
    }
  }

  /** Reads and writes single events while some are distorted. */
  async function useSingly(odd: readonly PlacedObject[]): Promise<void> {
    for (const { providerId, seriesId } of odd) {
      if (seriesId === null && dice.chance(SHARE_READ))
        await ask('GET', `${path}/${encodeURIComponent(providerId)}`, undefined, providerId);
    }
    for (const { providerId } of objects) {
      if (odd.some((each) => each.providerId === providerId)) continue;
      if (truth.plain.has(providerId) && dice.chance(SHARE_READ))
        await read(`${path}/${encodeURIComponent(providerId)}`);
    }
  }

  async function writeDistorted(): Promise<void> {
    const { providerId } = written;
    answers.byId.set(providerId, distortion(wideEvent));
    answers.distortsWrites = true;
    const at = `${path}/${encodeURIComponent(providerId)}`;
    await ask('PUT', at, { description: `round ${rounds}` }, providerId);
    answers.distortsWrites = false;
  }

  async function createDistorted(): Promise<void> {
    const title = `created ${rounds}`;
    const mutate = distortion(wideEvent);
    answers.ofCreation = (wire) => mutate(wire);
    const start = { dateTime: '2027-11-01T09:00:00Z' };
    const answer = await world.call('POST', path, { body: { title, start } });
    answers.ofCreation = undefined;
    if (answer.status > 499 && !(answer.status === 502 && answer.body.code === 'ProviderError')) {
      throw new Error(`a creation answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    const filter = provider === 'google' ? '?maxResults=2500' : '?$top=1000';
    const listed = await world.atProvider(provider, email, 'GET', `${eventsAt}${filter}`);
    for (const wire of listed.items ?? listed.value) {
      if (wire[titleField] === title)
        await world.atProvider(provider, email, 'DELETE', `${eventsAt}/${encodeURIComponent(wire.id)}`);
    }
  }

  async function distortCalendars(): Promise<number> {
    const odd = calendarIds.filter(() => dice.chance(0.5));
    for (const id of odd) {
      const distort = distortion(wideCalendar);
      // A calendar under another id would leave with the daily full list only.
      answers.byId.set(id, (wire) => withId(distort(wire), id));
    }
    const lists = provider === 'google' ? '/users/me/calendarList' : '/me/calendars';
    const touchAll = async () => {
      for (const id of odd) {
        const { name } = calendarTruth.get(id) as Json;
        const body = provider === 'google' ? { backgroundColor: '#123456', foregroundColor: '#ffffff' } : { name };
        const query = provider === 'google' ? '?colorRgbFormat=true' : '';
        await world.atProvider(provider, email, 'PATCH', `${lists}/${encodeURIComponent(id)}${query}`, body);
      }
    };
    await touchAll();
    const now = await calendars();
    for (const [id, calendar] of calendarTruth) {
      if (!odd.includes(id)) requireSame(`calendar ${id}`, now.get(id), calendar);
    }
    for (const id of odd) await ask('GET', `/v1/calendars/${accountId}/${encodeURIComponent(id)}`, undefined, id);
    const count = odd.length;
    for (const id of odd) answers.byId.delete(id);
    await touchAll();
    return count;
  }

  async function reconcile(): Promise<void> {
    let isDone = false;
    const done = stage.reconciled().then(() => {
      isDone = true;
    });
    for (let turns = 0; !isDone && turns < MOST_TURNS; turns += 1) {
      await stage.pass(TURN_MS);
    }
    if (!isDone) throw new Error('no reconciliation took place');
    await done;
  }

  /** Ends all distortions and checks that nothing of them is left. */
  async function converge(odd: readonly PlacedObject[]): Promise<void> {
    answers.byId.clear();
    const listed = await unreadable();
    // An object shown readable under an unchanged tag is read again when it changes.
    const setAside = new Set(listed.filter(({ kind }) => kind === 'event').map(({ objectId }) => objectId));
    for (const { providerId } of [...odd, written]) if (!setAside.has(providerId)) await touch(providerId);
    await reconcile();
    const now = await view();
    await calendars();
    // An entry without an id leaves with the daily full list.
    const left = (await unreadable()).filter(({ kind, objectId }) => kind !== 'calendar' || objectId !== null);
    if (left.length > 0) throw new Error(`still set aside: ${JSON.stringify(left)}`);
    await follow();
    requireSameRecords('follower', new Map(followed), now.plain);
    await restoreTruth(now);
  }

  async function restoreTruth(now: View): Promise<void> {
    if (truth !== undefined) {
      for (const [name, records] of Object.entries(truth) as ['plain' | 'expanded', Records][]) {
        const isPinned = ([id]: readonly [string, Shown]) => id !== witness.providerId && id !== written.providerId;
        requireSameRecords(name, new Map([...now[name]].filter(isPinned)), new Map([...records].filter(isPinned)));
      }
      requireSameRecords('calendars', await calendars(), calendarTruth);
    }
    truth = now;
  }

  return {
    async begin(): Promise<void> {
      witness = await find('witness');
      written = await find('written');
      calendarTruth = await calendars();
      truth = await view();
      await follow();
    },

    /** Plays one round. Returns the number of distorted objects. */
    async round(): Promise<number> {
      rounds += 1;
      const odd = distortSome(dice.pick([0.3, 0.6, 0.9]));
      const title = `witness ${rounds}`;
      await touch(witness.providerId, title);
      const isFull = dice.chance(0.3);
      if (isFull) expireFeeds(stage);
      for (const { providerId } of odd) if (!isFull || dice.chance(0.5)) await touch(providerId);
      const now = await view();
      checkGood(now, odd);
      requireSame('the title of the witness', (now.plain.get(witness.providerId) as Json)?.title, title);
      await checkBusy(odd);
      await useSingly(odd);
      if (dice.chance(0.3)) {
        await reconcile();
        checkGood(await view(), odd);
      }
      await writeDistorted();
      if (dice.chance(0.3)) await createDistorted();
      const ofCalendars = await distortCalendars();
      checkGood(await view(), [...odd, written]);
      const count = answers.byId.size + ofCalendars;
      await converge(odd);
      return count;
    },
  };
}

function withId(shown: unknown, id: string): unknown {
  if (shown instanceof Several) return new Several(shown.objects.map((one) => withId(one, id)));
  return typeof shown === 'object' && shown !== null && 'id' in shown && typeof shown.id === 'string'
    ? { ...shown, id }
    : shown;
}

function expireFeeds({ world, provider }: HistoryStage): void {
  const control = provider === 'google' ? 'expireSyncTokens' : 'expireDeltaTokens';
  world.sandbox[provider].controls[control]?.({});
}

function shown({ updatedAt: _, ...record }: Json): Shown {
  return record;
}

function byId(records: readonly Json[]): Records {
  const found = new Map(records.map((record) => [record.id, shown(record)]));
  if (found.size !== records.length) throw new Error('a list shows an id twice');
  return found;
}

/** Tells whether a provider's original start names a slot; that of an all-day slot may be midnight in any zone. */
function isSameSlot(slotMs: number | null, originalStart: Json): boolean {
  if (slotMs === null || originalStart == null) return false;
  const apartMs = Math.abs(slotMs - Date.parse(originalStart.date ?? originalStart.dateTime));
  return originalStart.date === undefined ? apartMs === 0 : apartMs < 15 * HOUR_MS;
}

function requireSame(name: string, found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${name} is\n${one}\nand should be\n${other}`);
}

function requireSameRecords(name: string, found: Records, wanted: Records): void {
  for (const id of new Set([...found.keys(), ...wanted.keys()])) {
    requireSame(`${name}: ${id}`, found.get(id), wanted.get(id));
  }
}
