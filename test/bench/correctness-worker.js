// Answers questions with the library named by the worker's data, with starts or with the reason why there are none.
import { parentPort, workerData } from 'node:worker_threads';
import { libraryOf } from './libraries.js';

const [way] = (await libraryOf(workerData)).ways;

parentPort.on('message', ({ zone, dtstart, rule, from, to, limit, refused }) => {
  try {
    const compiled = way.compile({ zone, dtstart, rule });
    if (refused) compiled.firstN(3);
    const starts = refused ? [] : limit === undefined ? compiled.between(from, to) : compiled.firstN(limit);
    parentPort.postMessage({ starts });
  } catch (error) {
    parentPort.postMessage({ failure: String(error) });
  }
});
