/** Background work with no door: done unasked, on a schedule, with the hands it is given. */
export interface Chore<Hands = unknown> {
  summary: string
  /** A crontab line's five fields. */
  every: string
  run(hands: Hands): Promise<void>
}

export function chore<Hands>(declaration: Chore<Hands>): Chore<Hands> {
  return declaration
}
