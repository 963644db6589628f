import { seededRandom } from '@kalends/conformance';
import type { MeasurementRow, Storage } from 'kalends/ports';

const MINUTE = 60_000;
const GOOGLE = { provider: 'PROVIDER_A' };
const MICROSOFT = { provider: 'PROVIDER_B' };

/** Stores a day of a busy service: one provider throttles for the last 20 minutes, and one receiver is down. */
export async function fillBusyDay(storage: Storage, now = Date.now()): Promise<void> {
  const random = seededRandom(5);
  const about = (value: number) => Math.round(value * (0.75 + random.fraction() / 2));
  for (let minute = 24 * 60; minute >= 0; minute -= 1) {
    const at = Math.floor(now / MINUTE) * MINUTE - minute * MINUTE;
    const row = (name: string, count: number, mean: number, of: Partial<MeasurementRow> = {}): MeasurementRow => {
      const [sum, max] = [count * mean, mean * (2 + 3 * random.fraction())];
      return { at, name, provider: '', result: '', count, sum, max, ...of };
    };
    const sample = (name: string, value: number) => row(name, 1, value, { max: value });
    // More by day than by night.
    const load = 1.2 + Math.sin((minute / 1_440) * 2 * Math.PI);
    const throttled = minute < 20 ? about(14) : 0;
    const lag = minute < 25 ? 8 * (25 - minute) : about(2);
    const rows = [
      row('requests', about(220 * load), 0.02, { result: '2xx' }),
      row('requests', about(9 * load), 0.01, { result: '4xx' }),
      row('providerCalls', about(120 * load), 1, { ...GOOGLE, result: 'ok' }),
      row('providerCalls', throttled, 1, { ...GOOGLE, result: 'rate-limited' }),
      row('providerCalls', about(90 * load), 1, { ...MICROSOFT, result: 'ok' }),
      row('providerCalls', minute % 37 === 0 ? 3 : 0, 1, { ...MICROSOFT, result: 'unavailable' }),
      row('pulls', about(70 * load), 0.4, { ...GOOGLE, result: 'ok' }),
      row('pulls', throttled >> 1, 0.4, { ...GOOGLE, result: 'failed' }),
      row('pulls', about(50 * load), 0.6, { ...MICROSOFT, result: 'ok' }),
      row('deliveries', about(30 * load), 0.09, { result: '2xx' }),
      row('deliveries', minute < 45 ? about(3) : 0, 0.01, { result: 'connection' }),
      row('budgetUsed', 1, 0.2, { ...GOOGLE, max: 0.62 - minute / 4_000 }),
      sample('dueCollections', about(lag * 3)),
      sample('syncLagSeconds', lag),
      sample('dueDeliveries', minute < 45 ? 1 : 0),
    ];
    await storage.measurements.add(rows.filter(({ count, max }) => count > 0 && max > 0));
  }
}
