import { userInfo } from 'node:os';

/** Returns the actor of commands on the database's host, for the audit log. */
export function commandActor(): { readonly type: 'command'; readonly id: string } {
  return { type: 'command', id: userName() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run under ids that have no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
