/**
 * What scales together. `thread` is JavaScript and wasm in Piscina threads, `native` is addons in warm confined
 * children, `program` is one confined subprocess a call, `remote` is the network and the background chores.
 */
export const LANES = ['thread', 'native', 'program', 'remote'] as const

export type Lane = (typeof LANES)[number]

export function isLane(name: string): name is Lane {
  return (LANES as readonly string[]).includes(name)
}
