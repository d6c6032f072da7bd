/** Background work that runs on a schedule instead of on request, with the dependencies it is given. */
export interface Chore<Deps = unknown> {
  summary: string
  /** The five fields of a crontab line. */
  every: string
  run(deps: Deps): Promise<void>
}

/** Deletes batch by batch, so that no statement takes long, and logs how many there were. */
export async function forgetInBatches(
  forget: () => Promise<number>,
  log: (facts: Record<string, unknown>, text: string) => void,
  text: string,
): Promise<void> {
  let forgotten = 0
  for (let batch = 1; batch > 0; ) {
    batch = await forget()
    forgotten += batch
  }
  if (forgotten > 0) log({ forgotten }, text)
}

export function chore<Deps>(declaration: Chore<Deps>): Chore<Deps> {
  return declaration
}
