import { checkPureEntries } from './check-pure-entries.js';

console.log(JSON.stringify(await checkPureEntries()));
