import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of this folder, the next message of which can be awaited; its end before that is an error. */
export function startChild(file, args, execArgv = []) {
  const child = fork(new URL(file, import.meta.url), args.map(String), { execArgv });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}`);
  });
  ended.catch(() => {});
  return {
    told: async () => (await Promise.race([once(child, 'message'), ended]))[0],
    tell: (message) => child.send(message),
    stop: () => child.kill(),
  };
}
