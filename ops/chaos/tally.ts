/** What a run did. */
export class Tally {
  readonly disturbances: Record<string, number> = {}
  readonly calls: Record<string, number> = {}
  readonly checks: Record<string, number> = {}
  /** Processes that were ended by SIGKILL, each at some point of its work, by what did it. */
  readonly kills: Record<string, number> = {}
  /** Connections to Postgres that were cut. */
  cuts = 0

  count(group: 'disturbances' | 'kills' | 'calls' | 'checks', name: string, by = 1): void {
    this[group][name] = (this[group][name] ?? 0) + by
  }

  describe(): object {
    const { disturbances, kills, cuts, calls, checks } = this
    return { disturbances, kills, cuts, calls, checks }
  }
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}
