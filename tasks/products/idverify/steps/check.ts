import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/idverify/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import type { IdentityReader } from '../reader.ts'

type Deps = StepDeps<typeof callers> & { reader: IdentityReader }

export default step({
  summary: 'Read the images of a verification and check what they say.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }), attempt: Type.Integer() }),
  limitSeconds: 180,
  async run({ id, attempt }, deps: Deps) {
    const { sql, reader, signal, now } = deps
    const taken = await sql.takeCheck(id, attempt)
    if (!taken) return
    const [{ judge }, { addScreening, screenSubject }, { readTypedZone }, { describeNumber, showDocument }] =
      await loadChecks()
    const reading = await reader.read(taken.images, signal)
    const typed = taken.typedZone === null ? undefined : readTypedZone(taken.typedZone, now())
    const document = taken.type === 'liveness' ? undefined : (reading.document ?? typed)
    const hash = document?.number ? reader.hash(describeNumber(document)) : undefined
    const isKnownDocument = hash === undefined ? undefined : await sql.isKnownDocument(id, hash)
    const { type, terms, subject, isLast } = taken
    const found = judge({ type, terms, subject, typed, isLast, isKnownDocument }, reading, now())
    const screened = await screenSubject(taken, found.outcome, document, deps)
    const ended = {
      ...found,
      ...(screened && addScreening(found, screened)),
      document: found.document && showDocument(found.document),
      documentHash: hash,
    }
    await sql.finishCheck(id, attempt, ended, deps.settings.get('screening.kept_days'))
  },
})

/** Loaded with the first verification, so that a worker that has none does not pay for them. */
function loadChecks() {
  return Promise.all([import('../judge.ts'), import('../screening.ts'), import('../zone.ts'), import('../record.ts')])
}
