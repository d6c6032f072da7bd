import type { Customer } from './customer.ts'
import type { History } from './history.ts'
import type { Installation } from './installation.ts'
import { loadByName } from './load-by-name.ts'
import type { Random } from './random.ts'

export interface StoryContext {
  service: Installation
  customer: Customer
  random: Random
  history: History
  /** A name that no other object of this run has. */
  newName(kind: string): string
}

interface RunningStory {
  /** Some calls. Each caller takes one step after the other. */
  step(random: Random, caller: number): Promise<void>
  /** Compares what is with what must be, when all is calm. Gives how much was compared. */
  check(): Promise<number>
}

interface Story {
  /** How many callers take steps at once. */
  callers: number
  open(context: StoryContext): Promise<RunningStory>
}

export const story = (declared: Story): Story => declared

export function loadStories(): Promise<(Story & { name: string })[]> {
  return loadByName(new URL('stories/', import.meta.url))
}
