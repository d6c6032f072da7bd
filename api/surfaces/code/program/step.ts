import type { Entry } from '#kit'
import type { Step } from '../../how-to/declaration.ts'

/** A step with the call that it makes. */
export interface ProgramStep extends Step {
  entry: Entry
}
