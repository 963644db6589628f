import { checkPureEntries } from './check-pure-entries.js';

export default {
  async fetch() {
    return Response.json(await checkPureEntries());
  },
};
