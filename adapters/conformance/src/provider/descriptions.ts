import assert from 'node:assert/strict';
import type { DescriptionFormat } from 'kalends/model';
import type { ProviderEvent } from 'kalends/ports';
import {
  DAY_MS,
  exceptionsOf,
  NINE,
  onStage,
  type ProviderConformanceOptions,
  type ProviderStage,
  refusal,
  SERIES,
  slotOf,
  targetOf,
} from './world.ts';

/** Descriptions as HTML and as text, read when asked. No case expects words in HTML: a transcript has placeholders in their place. */
export function descriptionConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'descriptions: an event without one has an empty text, and a deleted event none', async (stage) => {
    const { provider, session, calendar } = stage;
    const event = await stage.create({});
    assert.equal(await read(stage, event, 'text'), '');
    await provider.events.delete(session, calendar, targetOf(event), {});
    await stage.settle();
    for (const format of ['html', 'text'] as const) {
      const reading = provider.events.getDescription(session, calendar, event.providerEventId, format);
      await refusal(reading, ['not-found']);
    }
  });

  onStage(options, 'descriptions: a text reads as written, and its HTML shows the same', async (stage) => {
    const event = await stage.create({ description: 'Ham & <eggs>\nTea' });
    assert.equal(await read(stage, event, 'text'), 'Ham & <eggs>\nTea');
    const html = await read(stage, event, 'html');
    assert.match(html, /<(?:br|p|div)/i);
    assert.doesNotMatch(html, /<eggs>/);
    const changed = await stage.update(event, { description: 'Coffee' });
    assert.equal(await read(stage, changed, 'text'), 'Coffee');
    assert.notEqual(await read(stage, changed, 'html'), html);
  });

  onStage(options, 'descriptions: an occurrence has its own', async (stage) => {
    const { provider, session, calendar } = stage;
    const master = await stage.create({ ...SERIES, description: 'Of all' });
    await stage.settle();
    const slot = slotOf(await stage.read(master), NINE + DAY_MS);
    const written = await provider.events.update(session, calendar, slot, { description: 'Of one' }, {});
    const [exception] = exceptionsOf(written);
    assert.ok(exception !== undefined);
    await stage.settle();
    assert.equal(await read(stage, exception, 'text'), 'Of one');
    assert.equal(await read(stage, master, 'text'), 'Of all');
    assert.notEqual(await read(stage, exception, 'html'), await read(stage, master, 'html'));
  });
}

/** Returns a description with plain line ends, none of them at its end: Exchange writes its own. */
async function read(stage: ProviderStage, event: ProviderEvent, format: DescriptionFormat): Promise<string> {
  const { provider, session, calendar } = stage;
  const content = await provider.events.getDescription(session, calendar, event.providerEventId, format);
  return content.replaceAll('\r\n', '\n').trimEnd();
}
