import { calendarEvent, deletedEvent } from 'kalends/model';
import { withObjectTexts } from '../interface/object-texts.ts';
import type { Answer, Json, World } from '../interface/world.ts';
import type { Intercept } from '../regression/intercepted-world.ts';
import type { Dice } from '../simulation/dice.ts';
import type { DavMailbox } from './caldav-mailbox.ts';
import { mutatedIcs } from './ics-mutations.ts';
import { WINDOW } from './mailbox.ts';

const TURN_MS = 5_000;
const MOST_TURNS = 10_000;
const SHARE_READ = 0.3;

/** Distorts the texts of objects on their way, by path. */
export interface DistortedTexts {
  readonly byPath: Map<string, (text: string) => string>;
  readonly intercept: Intercept;
  /** Texts that were changed. */
  readonly distorted: number;
  /** Texts that the engine has written. */
  readonly written: string[];
}

export function distortedTexts(): DistortedTexts {
  let distorted = 0;
  const byPath = new Map<string, (text: string) => string>();
  const written: string[] = [];
  return {
    byPath,
    written,
    get distorted() {
      return distorted;
    },
    async intercept(request, pass) {
      const { method, url } = request;
      if (method === 'PUT') written.push(await request.clone().text());
      return withObjectTexts(method, url, await pass(), (path, text) => {
        const shown = byPath.get(path)?.(text) ?? text;
        if (shown !== text) distorted += 1;
        return shown;
      });
    },
  };
}

export interface DavStage {
  readonly world: World;
  readonly mailbox: DavMailbox;
  readonly texts: DistortedTexts;
  readonly dice: Dice;
  /** Lets time pass, and waits until all that it has started is done. */
  pass(ms: number): Promise<void>;
  /** Resolves with the next reconciliation. */
  reconciled(): Promise<void>;
}

type Records = ReadonlyMap<string, Json>;

interface View {
  readonly plain: Records;
  readonly expanded: Records;
}

const idOf = (path: string): string => Buffer.from(path).toString('base64url');

/** The mirrored mailbox of a client that reads through the interface, while a server distorts some of its objects. */
export async function createDavHistory({ world, mailbox, texts, dice, pass, reconciled }: DavStage) {
  const path = `/v1/events/${mailbox.accountId}/${mailbox.calendarId}`;
  const followed = new Map<string, Json>();
  const originals = mailbox.texts();
  let syncToken: string | undefined;
  let rounds = 0;

  /** Asks the interface; only the object of an id may be refused, and none may fail. */
  async function ask(method: string, at: string, body?: object): Promise<Answer> {
    // A later read pulls anew.
    await pass(1);
    const answer = await world.call(method, at, body === undefined ? {} : { body });
    const isRefusal = answer.status === 502 && answer.body.code === 'ProviderError';
    if (answer.status <= 499 || (isRefusal && at !== path)) return answer;
    throw new Error(`${method} ${at} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  async function list(at: string, query = ''): Promise<{ readonly records: readonly Json[]; readonly token: string }> {
    const records: Json[] = [];
    for (let more = ''; ; ) {
      const { status, body } = await ask('GET', `${at}?limit=200${query}${more}`);
      if (status !== 200) throw new Error(`GET ${at} answered ${status}: ${JSON.stringify(body)}`);
      records.push(...body.data);
      if (body.nextPageToken == null) return { records, token: body.nextSyncToken };
      more = `&pageToken=${encodeURIComponent(body.nextPageToken)}`;
    }
  }

  async function view(): Promise<View> {
    const { records } = await list(path);
    const { records: slots } = await list(path, `&expandRecurrences=true&${WINDOW}`);
    for (const record of [...records, ...slots]) checkShape(record);
    return { plain: byId(records), expanded: byId(slots) };
  }

  async function follow(): Promise<Records> {
    const { records, token } = await list(
      path,
      syncToken === undefined ? '' : `&syncToken=${encodeURIComponent(syncToken)}`,
    );
    for (const record of records) {
      checkShape(record);
      if (record.isDeleted === true) followed.delete(record.id);
      else followed.set(record.id, shown(record));
    }
    syncToken = token;
    return new Map(followed);
  }

  const unreadable = async () => (await list(`/v1/endUserAccounts/${mailbox.accountId}/unreadableObjects`)).records;

  /** Writes an object anew, with a mark of the round, so that its tag moves. */
  async function touch(at: string, title?: string): Promise<void> {
    const text = originals.get(at) ?? '';
    const named = title === undefined ? text : text.replace(/^SUMMARY:.*$/m, `SUMMARY:${title}\r`);
    await mailbox.put(at, named.replace('END:VEVENT', `X-ROUND:${dice.below(1e9)}\r\nEND:VEVENT`));
  }

  /** Each answer shows a version of an object alike, as a server would. */
  function distortion(): (text: string) => string {
    const own = dice.split();
    const seen = new Map<string, string>();
    return (text) => {
      const known = seen.get(text) ?? mutatedIcs(text, own);
      seen.set(text, known);
      return known;
    };
  }

  async function reconcile(): Promise<void> {
    let isDone = false;
    const done = reconciled().then(() => {
      isDone = true;
    });
    for (let turns = 0; !isDone && turns < MOST_TURNS; turns += 1) await pass(TURN_MS);
    if (!isDone) throw new Error('no reconciliation took place');
    await done;
  }

  const titled = (title: string): string => {
    const [found] = [...originals].find(([, text]) => text.includes(`SUMMARY:${title}\r`)) ?? [];
    if (found === undefined) throw new Error(`there is no event ${title}`);
    return found;
  };
  const witness = titled('witness');
  const written = titled('written');
  const truth = await view();
  await follow();

  /** Checks that all records that no distortion concerns are as they were. */
  function checkGood(now: View, odd: readonly string[]): void {
    const apart = new Set([...odd, witness].map(idOf));
    for (const name of ['plain', 'expanded'] as const) {
      for (const [id, record] of truth[name]) {
        if (!apart.has(record.recurringEventId ?? id)) requireSame(`${id} (${name})`, now[name].get(id), record);
      }
    }
  }

  async function readSingly(odd: readonly string[]): Promise<void> {
    for (const at of originals.keys()) {
      if (!dice.chance(SHARE_READ)) continue;
      const { status, body } = await ask('GET', `${path}/${idOf(at)}`);
      if (status === 200) checkShape(body);
      else if (!odd.includes(at)) throw new Error(`${at} answered ${status}: ${JSON.stringify(body)}`);
    }
  }

  /** Edits an object that the server distorts: it is refused, or a whole text is written. */
  async function writeDistorted(): Promise<void> {
    texts.byPath.set(written, distortion());
    texts.written.length = 0;
    await ask('PUT', `${path}/${idOf(written)}`, { description: `round ${rounds}` });
    for (const text of texts.written) requireSound(text);
    texts.byPath.delete(written);
    await mailbox.put(written, originals.get(written) ?? '');
  }

  /** Ends all distortions and checks that nothing of them is left. */
  async function converge(odd: readonly string[]): Promise<void> {
    texts.byPath.clear();
    const setAside = new Set((await unreadable()).map(({ objectId }) => objectId));
    // An object shown readable under an unchanged tag is read again when it changes.
    for (const at of odd) if (!setAside.has(idOf(at))) await touch(at);
    await touch(witness, 'witness');
    await reconcile();
    const left = await unreadable();
    if (left.length > 0) throw new Error(`still set aside: ${JSON.stringify(left)}`);
    const now = await view();
    for (const name of ['plain', 'expanded'] as const) requireSameRecords(name, now[name], truth[name]);
    requireSameRecords('follower', await follow(), now.plain);
  }

  return {
    /** Plays one round. Returns the number of distorted objects. */
    async round(): Promise<number> {
      rounds += 1;
      const share = dice.pick([0.3, 0.6, 0.9]);
      const odd = [...originals.keys()].filter((at) => at !== witness && at !== written && dice.chance(share));
      for (const at of odd) texts.byPath.set(at, distortion());
      await touch(witness, `witness ${rounds}`);
      const isFull = dice.chance(0.3);
      if (isFull) world.sandbox.caldav.controls['expireSyncTokens']?.({});
      for (const at of odd) if (!isFull || dice.chance(0.5)) await touch(at);
      const now = await view();
      checkGood(now, odd);
      requireSame('the title of the witness', now.plain.get(idOf(witness))?.title, `witness ${rounds}`);
      await readSingly(odd);
      if (dice.chance(0.3)) {
        await reconcile();
        checkGood(await view(), odd);
      }
      await writeDistorted();
      checkGood(await view(), [...odd, written]);
      await converge([...odd, written]);
      return odd.length + 1;
    },
  };
}

function checkShape(record: Json): void {
  const { error } = (record.isDeleted === true ? deletedEvent : calendarEvent).safeParse(record);
  if (error) throw new Error(`${record.id} is shown out of shape: ${error.message}`);
  if (record.isDeleted === true) return;
  const isOdd = [record.start, record.end].some(({ dateTime }) => Number.isNaN(Date.parse(dateTime)));
  if (isOdd || record.id === '') throw new Error(`${record.id} has odd times: ${JSON.stringify(record)}`);
}

/** The text is whole: each component ends, and one is an event. Values that the server distorts are its own. */
function requireSound(text: string): void {
  const open: string[] = [];
  for (const line of text.replaceAll(/\r\n[ \t]/g, '').split('\r\n')) {
    const [, verb, name = ''] = /^(BEGIN|END):([A-Za-z0-9-]{1,64})$/.exec(line) ?? [];
    if (verb === 'BEGIN') open.push(name);
    else if (verb === 'END' && open.pop() !== name) throw new Error(`END:${name} ends another component: ${text}`);
  }
  if (open.length > 0 || !text.includes('\r\nBEGIN:VEVENT\r\n'))
    throw new Error(`a part of a text was written: ${text}`);
}

const shown = ({ updatedAt: _, ...record }: Json): Json => record;

function byId(records: readonly Json[]): Records {
  const found = new Map(records.map((record) => [record.id, shown(record)]));
  if (found.size !== records.length) throw new Error('a list shows an id twice');
  return found;
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
