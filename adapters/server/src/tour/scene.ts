import type { DevConnection } from '../dev/dev-state.ts';
import type { Api } from './api.ts';
import type { Narrator } from './narrator.ts';

/** The setting of every chapter: one mailbox at one provider. */
export interface Scene {
  readonly api: Api;
  readonly narrator: Narrator;
  readonly connection: DevConnection;
  readonly provider: 'google' | 'microsoft';
  readonly providerType: string;
  readonly email: string;
  /** Midnight UTC of the Monday of the current week. */
  readonly monday: number;
}

/** Returns the ISO text of the instant `hours` after the scene's Monday. */
export function at(scene: Scene, hours: number): string {
  return new Date(scene.monday + hours * 3_600_000).toISOString();
}
