import { signal } from '@preact/signals';

/** Whether the last request got no answer. */
export const isOffline = signal(false);
