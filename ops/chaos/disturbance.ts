import { readdirSync } from 'node:fs'
import type { Random } from './random.ts'
import type { Service } from './service.ts'

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
  disturb(service: Service, random: Random): Promise<Done | undefined>
}

export type NamedDisturbance = Disturbance & { name: string }

export const disturbance = (declared: Disturbance): Disturbance => declared

const FOLDER = new URL('disturbances/', import.meta.url)

export function loadDisturbances(): Promise<NamedDisturbance[]> {
  const files = readdirSync(FOLDER)
    .filter(file => file.endsWith('.ts'))
    .sort()
  return Promise.all(
    files.map(async file => {
      const module = (await import(new URL(file, FOLDER).href)) as { default: Disturbance }
      return { ...module.default, name: file.slice(0, -3) }
    }),
  )
}
