/** Style of the element. Pages set the custom properties, or style the parts. */
export const CONNECT_STYLE = `
:host { display: block; font: var(--kalends-connect-font, inherit); }
:host([hidden]), [hidden] { display: none !important; }
[part~='group'] { display: flex; flex-wrap: wrap; gap: var(--kalends-connect-gap, 0.5rem); }
[part~='button'] {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5em;
  flex: var(--kalends-connect-button-flex, 0 1 auto);
  min-height: 2.5rem; padding: 0.5em 1em; box-sizing: border-box;
  font: inherit; font-weight: 500; line-height: 1.25; text-align: center; cursor: pointer;
  color: var(--kalends-connect-color, light-dark(#1f2328, #f0f3f6));
  background: var(--kalends-connect-background, light-dark(#ffffff, #262b33));
  border: 1px solid var(--kalends-connect-border, light-dark(#767c85, #8b939e));
  border-radius: var(--kalends-connect-radius, 0.375rem);
}
[part~='button']:hover { background: var(--kalends-connect-hover, light-dark(#eef1f5, #313843)); }
[part~='button']:focus-visible { outline: 2px solid var(--kalends-connect-focus, light-dark(#0b57d0, #8ab4f8)); outline-offset: 2px; }
[part~='button'][aria-disabled='true'] { cursor: progress; }
@media (max-width: 30rem) { [part~='button'] { flex: var(--kalends-connect-button-flex, 1 1 100%); } }
[part~='message'] { margin: 0; line-height: 1.45; }
[part~='message']:not(:empty) { display: grid; grid-template-columns: auto 1fr; gap: 0.5em; padding-block: 0.5em; }
[part~='error'] { color: var(--kalends-connect-error, light-dark(#b3261e, #ff8a80)); }
[part~='error']::before { content: '⚠\\FE0E' / ''; }
[part~='connected'] { color: var(--kalends-connect-success, light-dark(#146c2e, #81c995)); }
[part~='connected']::before { content: '✓' / ''; }
`;
