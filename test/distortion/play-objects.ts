import { playDavHistory } from './play-caldav.ts';
import { type HistorySize, type Played, playHistory } from './play-history.ts';

export interface Objects extends HistorySize {
  /** Distorted objects. */
  readonly objects: number;
  /** Seed of the first history; each of the others has the next one. */
  readonly from: number;
}

/** Plays histories until enough objects of the provider have been distorted. */
export async function playObjects(
  provider: 'google' | 'microsoft' | 'caldav',
  { objects, from, ...size }: Objects,
): Promise<void> {
  const played: Played[] = [];
  let count = 0;
  for (let seed = from; count < objects; seed += 1) {
    const one = await (provider === 'caldav' ? playDavHistory(seed, size) : playHistory(provider, seed, size));
    played.push(one);
    count += one.objects;
  }
  const answers = played.reduce((sum, each) => sum + each.answers, 0);
  console.info(`${provider}: ${played.length} histories, ${count} objects in ${answers} answers were distorted`);
}
