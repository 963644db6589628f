/** Options of `kalends parity` for `parseArgs`. */
export const PARITY_OPTIONS = {
  provider: { type: 'string' },
  connect: { type: 'boolean', default: false },
  port: { type: 'string' },
  only: { type: 'string', default: '' },
  settle: { type: 'string', default: '1000' },
  out: { type: 'string' },
  json: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
} as const;
