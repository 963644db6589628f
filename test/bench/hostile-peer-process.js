// One question to one peer, in a process that may be killed: node hostile-peer-process.js PEER QUESTION
import { askPeerHere } from './hostile-questions.js';

const [peer, question] = process.argv.slice(2);
console.log(JSON.stringify(askPeerHere(peer, question) ?? null));
