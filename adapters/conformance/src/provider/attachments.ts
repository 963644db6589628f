import assert from 'node:assert/strict';
import type { ProviderEvent } from 'kalends/ports';
import {
  DAY_MS,
  exceptionsOf,
  NINE,
  onStage,
  type ProviderConformanceOptions,
  type ProviderStage,
  refusal,
  requirePart,
  SERIES,
  slotOf,
  targetOf,
} from './world.ts';

/** Attachments: told in the feed, listed when asked, and untouched by writes. */
export function attachmentConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'attachments: an event without any has an empty list, and a deleted one none', async (stage) => {
    const { provider, session, calendar } = stage;
    const event = await stage.create({});
    assert.equal(event.content?.hasAttachments, false);
    assert.deepEqual(await namesOf(stage, event), []);
    await provider.events.delete(session, calendar, targetOf(event), {});
    await stage.settle();
    await refusal(provider.events.listAttachments(session, calendar, event.providerEventId), ['not-found']);
  });

  onStage(options, 'attachments: are told in the feed and listed with all of their names', async (stage) => {
    const { attach } = stage;
    requirePart(attach, 'attach');
    const event = await stage.create({});
    // More than a page of Graph.
    const names = Array.from({ length: 12 }, (_, index) => `File ${index}.txt`);
    for (const name of names) await attach(event.providerEventId, name);
    await stage.settle();
    const read = await stage.read(event);
    assert.equal(read.content?.hasAttachments, true);
    assert.equal((await stage.pull()).get(event.providerEventId)?.content?.hasAttachments, true);
    assert.deepEqual(await namesOf(stage, event), names);
    const changed = await stage.update(read, { title: 'Renamed', description: 'New' });
    assert.equal(changed.content?.hasAttachments, true);
    assert.deepEqual(await namesOf(stage, changed), names);
  });

  onStage(options, 'attachments: an occurrence has those of its series and its own', async (stage) => {
    const { attach, provider, session, calendar } = stage;
    requirePart(attach, 'attach');
    const master = await stage.create(SERIES);
    await attach(master.providerEventId, 'Of all.txt');
    await stage.settle();
    const written = await provider.events.update(
      session,
      calendar,
      slotOf(await stage.read(master), NINE + DAY_MS),
      { title: 'Own' },
      {},
    );
    const [exception] = exceptionsOf(written);
    assert.ok(exception !== undefined);
    assert.equal(exception.content?.hasAttachments, true);
    await attach(exception.providerEventId, 'Of one.txt');
    await stage.settle();
    assert.deepEqual(await namesOf(stage, exception), ['Of all.txt', 'Of one.txt']);
    assert.deepEqual(await namesOf(stage, master), ['Of all.txt']);
  });
}

async function namesOf({ provider, session, calendar }: ProviderStage, event: ProviderEvent): Promise<string[]> {
  const found = await provider.events.listAttachments(session, calendar, event.providerEventId);
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length, 'ids are different');
  return found.map(({ name }) => name);
}
