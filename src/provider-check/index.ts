export { checkProvider } from './check-provider.ts';
