/** Background work that runs on a schedule instead of on request, with the dependencies it is given. */
export interface Chore<Deps = unknown> {
  summary: string
  /** The five fields of a crontab line. */
  every: string
  run(deps: Deps): Promise<void>
}

export function chore<Deps>(declaration: Chore<Deps>): Chore<Deps> {
  return declaration
}
