import { Type } from 'typebox'
import { step } from '#kit'
import type { EnvelopeDeps } from '../worker-deps.ts'

export default step({
  summary: 'Witness the ledger that has the log of an envelope which has ended.',
  payload: Type.Object({ baton: Type.String({ format: 'uuid' }) }),
  run: ({ baton }, { witnessLedger }: Pick<EnvelopeDeps, 'witnessLedger'>) => witnessLedger(baton),
})
