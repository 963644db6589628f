/** Paths on a grid of 16, drawn with a stroke. */
const PATHS = {
  accounts: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4',
  application: 'M2.5 3.500h11v9h-11zM2.5 6.500h11',
  audit: 'M4 2.500h8v11H4zM6 5.500h4M6 8h4M6 10.500h2.5',
  availability: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM8 4.500V8l2.500 1.500',
  bad: 'M4 4l8 8M12 4l-8 8',
  calendar: 'M2.5 4h11v9.500h-11zM2.5 7h11M5.5 2.500V5M10.5 2.500V5',
  check: 'M3.5 8.500l3 3 6-7',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3',
  declined: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM3.8 12.200l8.4-8.400',
  docs: 'M3 3.500c2-.8 3.8-.5 5 .5v9.500c-1.2-1-3-1.3-5-.5zM13 3.500c-2-.8-3.8-.5-5 .5v9.500c1.2-1 3-1.3 5-.5z',
  down: 'M4 6l4 4 4-4',
  edit: 'M3 13l.6-2.600 7.400-7.400 2 2-7.400 7.400zM9.500 4.500l2 2',
  download: 'M8 2.500v8M4.5 7.5 8 11l3.5-3.500M3 13.500h10',
  free: 'M8 13.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Z',
  good: 'M3.5 8.500l3 3 6-7',
  key: 'M10.5 8.500a3 3 0 1 0-2.8-1.900L2.5 11.800v1.700h2.200l.6-1.5 1.5-.6 1.2-2.3',
  left: 'M10 4L6 8l4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  moved: 'M3 4v3.500a2.5 2.5 0 0 0 2.5 2.500H13M10 7l3 3-3 3',
  neutral: 'M4 8h8',
  overview: 'M2.5 13.500h11M4.5 11V8M8 11V3.500M11.5 11V6',
  plus: 'M8 3v10M3 8h10',
  question: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.200c-.8.4-1.1.9-1.1 1.800M8 12.500h.01',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.600M13 2.500v3h-3',
  repeat: 'M3.5 7V6a2 2 0 0 1 2-2h7M10.5 2l2 2-2 2M12.5 9v1a2 2 0 0 1-2 2h-7M5.5 14l-2-2 2-2',
  right: 'M6 4l4 4-4 4',
  sandbox: 'M6.5 2.500h3M7 2.500v4L3.5 12c-.4.8.1 1.5 1 1.500h7c.900 0 1.4-.7 1-1.500L9 6.500v-4',
  search: 'M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.500l3 3',
  settings: 'M3 4.500h6M12 4.500h1M3 8h1M7 8h6M3 11.500h4M10 11.500h3M10.5 3v3M5.5 6.500v3M8.5 10v3',
  'sign-out': 'M9.5 3h-6v10h6M6.5 8h7M11 5.5 13.5 8 11 10.5',
  warning: 'M8 2.500l6 11H2zM8 6.500v3.500M8 12h.01',
  webhooks: 'M9 2.5 3.5 9H8l-1 4.500L12.5 7H8z',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a word: readers of screens pass over it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
