/** Sums of one series over one period. */
export interface MeasurementRow {
  /** Begin of the period, epoch milliseconds. */
  readonly at: number;
  readonly name: string;
  /** Key of the provider; empty where the series has none. */
  readonly provider: string;
  /** Result of what was measured; empty where the series has none. */
  readonly result: string;
  /** Number of measurements. */
  readonly count: number;
  /** Sum of their values. */
  readonly sum: number;
  /** Greatest value. */
  readonly max: number;
}

/** Keeps what the processes have measured, minute by minute. It holds neither ids nor texts of tenants. */
export interface MeasurementStore {
  /**
   * Adds rows of whole minutes to those that are stored: counts and sums add up, the greater max stays. Any number of processes
   * may add to one minute. A row that stands in the list twice counts twice.
   */
  add(rows: readonly MeasurementRow[]): Promise<void>;
  /**
   * Returns the series of these names from the minute `from` on and before `to`, summed over periods of `stepMs`, whole minutes
   * that are counted from 1970. Ascending by time, name, provider and result. Periods without measurements are left out.
   */
  list(query: {
    readonly names: readonly string[];
    readonly from: number;
    readonly to: number;
    readonly stepMs: number;
  }): Promise<readonly MeasurementRow[]>;
  /** Removes up to `limit` rows of minutes before `before`; resolves with their number. */
  purge(before: number, limit: number): Promise<number>;
}
