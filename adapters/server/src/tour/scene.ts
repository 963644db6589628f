import type { DevConnection } from '../dev/dev-state.ts';
import type { Api } from './api.ts';
import type { Narrator } from './narrator.ts';

/** What every chapter plays in: one mailbox at one provider. */
export interface Scene {
  readonly api: Api;
  readonly narrator: Narrator;
  readonly connection: DevConnection;
  readonly provider: 'google' | 'microsoft';
  readonly providerType: string;
  readonly email: string;
  readonly refreshToken: string;
  /** Midnight UTC of the Monday of the current week. */
  readonly monday: number;
}

/** ISO text of an instant `hours` after the scene's Monday. */
export function at(scene: Scene, hours: number): string {
  return new Date(scene.monday + hours * 3_600_000).toISOString();
}
