import type { Installation } from './installation.ts'
import { loadByName } from './load-by-name.ts'
import type { Random } from './random.ts'

/** What was done. */
export interface Done {
  text: string
  kills?: number
  cuts?: number
}

interface Disturbance {
  /** How often it is chosen, beside the others. */
  weight: number
  /** Ends when what it disturbed runs again or is being restarted; undefined if there was nothing to disturb. */
  disturb(service: Installation, random: Random): Promise<Done | undefined>
}

export type NamedDisturbance = Disturbance & { name: string }

export const disturbance = (declared: Disturbance): Disturbance => declared

export function loadDisturbances(): Promise<NamedDisturbance[]> {
  return loadByName(new URL('disturbances/', import.meta.url))
}
