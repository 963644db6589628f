/** Checks of an exchange, each with one line for each problem. */
export interface Operation {
  readonly id: string;
  matches(method: string, path: string): boolean;
  checkQuery(query: URLSearchParams): readonly string[];
  checkBody(text: string): readonly string[];
  checkAnswer(status: number, text: string): readonly string[];
}

export interface Contract {
  find(method: string, path: string): Operation | undefined;
}
