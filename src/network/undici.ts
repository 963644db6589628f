import './node-fetch.ts';

// Not 'undici': Bun replaces that name by a module of its own, which sends nothing, and whose connections are not guarded.
export {
  Agent,
  buildConnector,
  DecoratorHandler,
  type Dispatcher,
  fetch,
  type RequestInfo,
  type RequestInit,
} from 'undici/index.js';
