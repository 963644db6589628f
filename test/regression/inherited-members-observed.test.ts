import { manualClock } from '@kalends/conformance';
import { google } from '@kalends/google';
import type { Telemetry } from 'kalends/ports';
import { observeProvider } from 'kalends/runtime';
import { expect, it } from 'vitest';

it('leaves members alone that a provider inherits from every object', () => {
  const counted: unknown[] = [];
  const telemetry: Telemetry = { count: (_name, labels) => void counted.push(labels), observe: () => undefined };
  const { events } = observeProvider(google(), { providerType: 'G', telemetry, clock: manualClock() });
  expect(String(events)).toBe('[object Object]');
  expect(counted).toEqual([]);
});
