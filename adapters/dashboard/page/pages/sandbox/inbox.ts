import { signal } from '@preact/signals';
import { request } from '../../api/request.ts';

/** A webhook that arrived at the demo's inbox. */
export interface InboxPost {
  readonly number: number;
  readonly at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verdict: 'verified' | 'wrong-signature' | 'too-old';
  readonly answered: number;
}

export interface Inbox {
  readonly url: string;
  readonly failure: { readonly status: number; readonly times: number } | null;
  readonly posts: readonly InboxPost[];
}

/** The inbox as it was read last. */
export const inbox = signal<Inbox | undefined>(undefined);

export async function readInbox(): Promise<Inbox> {
  inbox.value = await request<Inbox>({ path: '/sandbox/inbox' });
  return inbox.value;
}

/** Returns the attempts of a message, oldest first. */
export const postsOf = (messageId: string): readonly InboxPost[] =>
  inbox.value?.posts.filter(({ headers }) => headers['hook-id'] === messageId) ?? [];
