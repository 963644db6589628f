import type { Moment } from './moments.ts';
import { type DroppedRecord, hashOf, type SeenRecord } from './record-version.ts';

/** A record as a copy holds it; one that was dropped has no version. */
interface HeldRecord {
  readonly version: string | undefined;
  readonly isOccurrence: boolean;
  /** Number of the reading that told of it last. */
  readonly since: number;
  readonly record: SeenRecord | undefined;
}

interface Step {
  /** Token from which the step began. */
  readonly token: string;
  readonly sum: bigint;
  /** Records that the step replaced. */
  readonly before: ReadonlyMap<string, HeldRecord | undefined>;
}

/** Readings whose moments are kept. */
const MOST_MOMENTS = 16;
/** Steps that can be taken back: a client may begin again from an earlier token. */
const MOST_STEPS = 8;

/** A copy of one list, as a client keeps it by sync tokens. */
export class ClientCopy {
  readonly place: string;
  /** Path and filters of the list. */
  readonly view: string;
  /** Whether the list leaves nothing out. */
  readonly isWhole: boolean;
  /** Token of the state that the copy has. */
  token: string;
  #records = new Map<string, HeldRecord>();
  #moments: Moment[] = [];
  #readings = 0;
  #steps: Step[] = [];
  /** Sum of the hashes of all records held: copies with different sums differ. */
  #sum = 0n;

  constructor(place: string, view: string, isWhole: boolean, token: string) {
    this.place = place;
    this.view = view;
    this.isWhole = isWhole;
    this.token = token;
  }

  get sum(): bigint {
    return this.#sum;
  }

  /** Number of records, dropped ones included. */
  get size(): number {
    return this.#records.size;
  }

  get lastMoment(): Moment {
    return this.#moments.at(-1) as Moment;
  }

  get momentBefore(): Moment | undefined {
    return this.#moments.at(-2);
  }

  /** Ids that the last reading told of; none for a list. */
  get lastChanged(): Iterable<string> {
    return this.#steps.at(-1)?.before.keys() ?? [];
  }

  /** Sum of the hashes of these records. */
  sumOf(ids: Iterable<string>): bigint {
    let sum = 0n;
    for (const id of ids) sum += weightOf(id, this.version(id));
    return sum;
  }

  get ids(): Iterable<string> {
    return this.#records.keys();
  }

  /** The record that the copy holds; undefined for none. */
  get(id: string): SeenRecord | undefined {
    return this.#records.get(id)?.record;
  }

  /** Whether anything that the copy says of an id is about an occurrence. */
  isOccurrence(id: string): boolean {
    return this.#records.get(id)?.isOccurrence === true;
  }

  version(id: string): string | undefined {
    return this.#records.get(id)?.version;
  }

  /** Moments at which the copy says of a record what it says now: the last ones are kept. */
  momentsOf(id: string): readonly Moment[] {
    const first = this.#readings - this.#moments.length;
    return this.#moments.slice(Math.max(0, (this.#records.get(id)?.since ?? 0) - first));
  }

  get moments(): readonly Moment[] {
    return this.#moments;
  }

  /** Applies a reading of the list, or of what has changed since the token that the copy has. */
  apply(records: Iterable<SeenRecord | DroppedRecord>, token: string, moment: Moment): void {
    const before = new Map<string, HeldRecord | undefined>();
    const sum = this.#sum;
    for (const record of records) {
      const { id } = record;
      if (!before.has(id)) before.set(id, this.#records.get(id));
      const isDropped = 'isDeleted' in record;
      const was = this.#records.get(id);
      this.#put(id, {
        version: isDropped ? undefined : record.version,
        isOccurrence: isDropped ? was?.isOccurrence === true : record.isOccurrence,
        since: this.#readings,
        record: isDropped ? undefined : record,
      });
    }
    if (this.#readings > 0) this.#steps.push({ token: this.token, sum, before });
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
    this.token = token;
    this.seenAgain(moment);
  }

  /** The same state was read once more. */
  seenAgain(moment: Moment): void {
    this.#readings += 1;
    this.#moments.push(moment);
    if (this.#moments.length > MOST_MOMENTS) this.#moments.shift();
  }

  /** Returns the copy as it was when it had that token; undefined when that is forgotten. */
  asOf(token: string): ClientCopy | undefined {
    const index = this.#steps.findIndex((step) => step.token === token);
    if (index < 0) return undefined;
    const copy = new ClientCopy(this.place, this.view, this.isWhole, token);
    copy.#records = new Map(this.#records);
    for (const { before } of this.#steps.slice(index).reverse()) {
      for (const [id, was] of before) {
        if (was === undefined) copy.#records.delete(id);
        else copy.#records.set(id, { ...was, since: 0 });
      }
    }
    copy.#sum = (this.#steps[index] as Step).sum;
    // Which readings it had until then is not worth keeping: what it says counts from the next one on.
    for (const [id, held] of copy.#records) copy.#records.set(id, { ...held, since: 0 });
    return copy;
  }

  /** Lets go of the records: the copy is not used any more. */
  forget(): void {
    this.#records.clear();
    this.#steps = [];
  }

  #put(id: string, next: HeldRecord): void {
    this.#sum -= weightOf(id, this.#records.get(id)?.version);
    this.#sum += weightOf(id, next.version);
    this.#records.set(id, next);
  }
}

function weightOf(id: string, version: string | undefined): bigint {
  return version === undefined ? 0n : Buffer.from(hashOf(`${id}\0${version}`), 'base64url').readBigUInt64BE(0);
}
