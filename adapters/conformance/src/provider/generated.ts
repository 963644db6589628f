import assert from 'node:assert/strict';
import { type EventContent, type EventPatch, type NewEvent, type ProviderEvent, shownAs } from 'kalends/ports';
import { seededRandom } from '../support/seeded-random.ts';
import { expectedContent, GENERATED_FIELDS, type GeneratedField, generatedEvent } from './generated-events.ts';
import { contentShown, keyOf, shownEvent } from './held-events.ts';
import { onStage, type ProviderConformanceOptions, type ProviderStage } from './world.ts';

/** Generated events round-trip through the provider without a changed field. */
export function generatedConformance(options: ProviderConformanceOptions): void {
  const { generatedEvents = 12, seed = 1 } = options;
  const seeds = Array.from({ length: generatedEvents }, (_, index) => seed + index);

  onStage(options, 'generated events: create, get and pull agree with what was asked', async (stage) => {
    const made: (readonly [number, ProviderEvent])[] = [];
    for (const one of seeds) {
      const input = draw(stage, one);
      const event = await stage.create(input);
      agrees(event, input, one);
      assert.deepEqual(shownEvent(await stage.read(event)), shownEvent(event), `seed ${one}: get differs`);
      made.push([one, event]);
    }
    const pulled = await stage.pull();
    assert.equal(pulled.size, made.length);
    for (const [one, event] of made) {
      const shown = pulled.get(keyOf(event));
      assert.ok(shown !== undefined, `seed ${one}: a pull lacks it`);
      assert.deepEqual(shownEvent(shown), shownEvent(event), `seed ${one}: a pull differs`);
    }
  });

  onStage(
    options,
    'generated events: an update agrees with what was asked, and changes nothing else',
    async (stage) => {
      for (const one of seeds) {
        const input = draw(stage, one);
        const before = await stage.create(input);
        const patch = patchOf(stage, one, input);
        const after = await stage.update(before, patch);
        assert.ok(before.content !== null && after.content !== null);
        const content = { ...before.content, ...asked(before.content, patch) };
        const expected = { ...shownFields(before.content), ...asked(before.content, patch), showAs: shownAs(content) };
        assert.deepEqual(shownFields(after.content), expected, `seed ${one}: ${JSON.stringify(patch)}`);
        assert.deepEqual(shownEvent(await stage.read(after)), shownEvent(after), `seed ${one}: get differs`);
      }
    },
  );
}

/** Picks half of the fields on average. */
function draw({ capabilities }: ProviderStage, seed: number): NewEvent {
  const coins = seededRandom(seed * 7919);
  const fields = GENERATED_FIELDS.filter(() => coins.fraction() < 0.5);
  return generatedEvent(seededRandom(seed), capabilities, fields);
}

/** Generates a patch that changes some fields and clears others. Times stay: a series cannot move without its rule. */
function patchOf(stage: ProviderStage, seed: number, input: NewEvent): EventPatch {
  const coins = seededRandom(seed * 104_729);
  const fields = GENERATED_FIELDS.filter((field) => field !== 'recurrence' && coins.fraction() < 0.4);
  const {
    start: _start,
    end: _end,
    isAllDay: _isAllDay,
    ...other
  } = generatedEvent(seededRandom(seed + 1_000_000), stage.capabilities, fields);
  const cleared = Object.keys(input).filter((field) => isGenerated(field) && coins.fraction() < 0.2);
  return { ...other, ...Object.fromEntries(cleared.map((field) => [field, null])) };
}

function isGenerated(field: string): field is GeneratedField {
  return GENERATED_FIELDS.some((generated) => generated === field);
}

function agrees({ content }: ProviderEvent, input: NewEvent, seed: number): void {
  assert.ok(content !== null);
  const expected = expectedContent(input);
  const shown = shownFields(content);
  for (const [field, value] of Object.entries(expected)) {
    assert.deepEqual(shown[field], value, `seed ${seed}: ${field}`);
  }
}

/** Applies a patch to content; properties are merged by key. */
function asked(before: EventContent, patch: EventPatch): Readonly<Record<string, unknown>> {
  const cleared = expectedContent({ start: before.start, end: before.end, reminders: null });
  const entries = Object.entries(patch).map(([field, value]) => {
    if (value === null) return [field, cleared[field]];
    if (field !== 'publicExtendedProperties' && field !== 'privateExtendedProperties') return [field, value];
    return [field, { ...before[field], ...(value as object) }];
  });
  return Object.fromEntries(entries);
}

/** Returns content with attendees in the form of a request: their ids are up to the provider. */
function shownFields(content: EventContent): Readonly<Record<string, unknown>> {
  const attendees = content.attendees.map(({ email, name }) => ({ email, name }));
  return { colorId: undefined, customColor: undefined, ...contentShown(content), attendees };
}
