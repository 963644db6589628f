/** Settles as the promise does. @throws the reason of the signal as soon as it is aborted */
export function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const end = () => signal.removeEventListener('abort', leave);
    promise.finally(end).then(resolve, reject);
  });
}
