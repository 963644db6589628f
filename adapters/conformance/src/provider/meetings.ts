import assert from 'node:assert/strict';
import { readsAlike } from './fields.ts';
import { onStage, type ProviderConformanceOptions, refusal, requirePart, targetOf } from './world.ts';

/** Meetings created by the provider, and custom links. */
export function meetingConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'meetings: a provider that the calendar allows makes one with a link', async (stage) => {
    for (const generateMeetingUrlProvider of stage.capabilities.meetings.providers) {
      const event = await stage.create({ generateMeetingUrlProvider });
      assert.equal(event.content?.generateMeetingUrlProvider, generateMeetingUrlProvider);
      assert.match(event.content?.conferenceData?.joinUrl ?? '', /^https:/);
      await readsAlike(stage, event);
      const renamed = await stage.update(event, { title: 'Renamed', description: 'Rewritten' });
      assert.deepEqual(renamed.content?.conferenceData, event.content?.conferenceData);
      assert.equal(renamed.content?.description, 'Rewritten');
    }
  });

  onStage(options, 'meetings: one is added to an event that is there', async (stage) => {
    const { defaultProvider } = stage.capabilities.meetings;
    requirePart(defaultProvider !== '', 'a meeting provider');
    const event = await stage.create({ description: 'About it' });
    const met = await stage.update(event, { generateMeetingUrlProvider: defaultProvider });
    assert.match(met.content?.conferenceData?.joinUrl ?? '', /^https:/);
    assert.equal(met.content?.description, 'About it');
    await readsAlike(stage, met);
    const again = await stage.update(met, { generateMeetingUrlProvider: defaultProvider });
    assert.deepEqual(again.content?.conferenceData, met.content?.conferenceData, 'asked for again it is the same');
    const conferenceData = structuredClone(met.content?.conferenceData ?? {});
    const echoed = await stage.update(met, { conferenceData });
    assert.deepEqual(echoed.content?.conferenceData, met.content?.conferenceData);
  });

  onStage(options, 'meetings: one is taken away, or that is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const { defaultProvider, removable } = capabilities.meetings;
    requirePart(defaultProvider !== '', 'a meeting provider');
    for (const field of ['generateMeetingUrlProvider', 'conferenceData'] as const) {
      const event = await stage.create({ generateMeetingUrlProvider: defaultProvider });
      if (removable) {
        const bare = await stage.update(event, { [field]: null });
        assert.equal(bare.content?.conferenceData, undefined);
        assert.equal(bare.content?.generateMeetingUrlProvider, undefined);
        await readsAlike(stage, bare);
      } else {
        const call = provider.events.update(session, calendar, targetOf(event), { [field]: null }, {});
        await refusal(call, ['unsupported'], field);
      }
    }
  });

  onStage(options, 'meetings: one given by hand comes back, or is refused', async (stage) => {
    requirePart(stage.capabilities.meetings.givenByHand, 'links given by hand');
    const conferenceData = { conferenceId: 'one', conferenceType: 'addOn', joinUrl: 'https://video.example/1' };
    const event = await stage.create({ conferenceData });
    const shown = event.content?.conferenceData;
    const { conferenceId, conferenceType, joinUrl } = shown ?? {};
    assert.deepEqual({ conferenceId, conferenceType, joinUrl }, conferenceData);
    await readsAlike(stage, event);
    const bare = await stage.update(event, { conferenceData: null });
    assert.equal(bare.content?.conferenceData, undefined);
    const given = await stage.update(bare, { conferenceData });
    assert.deepEqual(given.content?.conferenceData, shown);
  });

  onStage(options, 'meetings: the calendar says which ones it allows', async (stage) => {
    const { calendar, capabilities } = stage;
    assert.deepEqual(capabilities.meetings.providers, calendar.allowedOnlineMeetingProviders);
    assert.equal(capabilities.meetings.defaultProvider, calendar.defaultOnlineMeetingProvider);
  });
}
