import type { Coverage } from '../coverage.ts'
import type { describeScreening } from '../describe.ts'
import type { Subject } from '../subject.ts'

type Shown = ReturnType<typeof describeScreening>['shown']

export interface RuledOut {
  entityId: string
  entryHash: string
  reason: string
  createdAt: string
}

/** A screening as it was kept, with what its owner has dismissed since. */
export interface ScreeningRecord extends Omit<Shown, 'coverage'> {
  coverage: Coverage['families']
  subject: Subject
  ruledOut: RuledOut[]
}
