// The elements are those of browsers: a project without the DOM library gets its types with this entry.
/// <reference lib="dom" preserve="true" />
export { authorizeUrl } from '../authorize-url.ts';
export { type ConnectProvider, parseConnectProviders } from './connect-providers.ts';
export {
  type ConnectedResult,
  type ConnectResult,
  type FailedResult,
  readConnectResult,
  withoutConnectResult,
} from './connect-result.ts';
export {
  type ConnectStateOptions,
  type ConnectStorage,
  createConnectState,
  takeConnectState,
} from './connect-state.ts';
export { CONNECT_TEXTS, type ConnectTexts, connectErrorMessage } from './connect-texts.ts';
export { type ConnectHistory, type FinishConnectOptions, finishConnect } from './finish-connect.ts';
export {
  type ConnectDetail,
  defineKalendsConnect,
  KalendsConnect,
  type KalendsConnectEvents,
} from './kalends-connect.ts';
