/** A call that is refused; its message is the server's own words and says what to do next. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}
