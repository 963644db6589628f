// Lets a plain Node process run the sources: node --conditions=kalends-source --import ./typescript-hook.js script.ts
import { register } from 'node:module';

register(new URL('./typescript-loader.js', import.meta.url));
