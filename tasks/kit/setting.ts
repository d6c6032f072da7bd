/** A setting that an operator may change while everything runs. */
export interface Tunable<Value> {
  default: Value
  min?: number
  max?: number
  /** The words that a list may have; without them, any. */
  words?: readonly string[]
  summary: string
}

export function numberSetting(byDefault: number, min: number, max: number, summary: string): Tunable<number> {
  return { default: byDefault, min, max, summary }
}

export function flagSetting(byDefault: boolean, summary: string): Tunable<boolean> {
  return { default: byDefault, summary }
}

export function listSetting(byDefault: string[], summary: string, words?: readonly string[]): Tunable<string[]> {
  return { default: byDefault, summary, ...(words && { words }) }
}
