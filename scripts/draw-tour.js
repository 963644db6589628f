// Draws docs/images/tour.svg from the output of the tour: npm run --silent tour | node scripts/draw-tour.js
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { tourPicture } from './tour-picture.js';

writeFileSync(new URL('../docs/images/tour.svg', import.meta.url), tourPicture(await text(process.stdin)));
