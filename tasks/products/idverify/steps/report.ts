import { Type } from 'typebox'
import { newId, step } from '#kit'
import type * as callers from '../../../../sql/idverify/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import type { IdentityReader } from '../reader.ts'

type Deps = StepDeps<typeof callers> & { reader: IdentityReader }

export default step({
  summary: 'Print the report of a verification.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  limitSeconds: 120,
  async run({ id }, { sql, reader, store, signal }: Deps) {
    const taken = await sql.takeReport(id)
    if (!taken) return
    const { writeReport } = await import('../report.ts')
    const bytes = await reader.print(writeReport(taken.view), signal)
    // Beside the images, so that it goes with them.
    const key = `identity/${id}/${newId()}`
    await sql.reserveImage(taken.accountId, key, 'application/pdf')
    await store.put(key, bytes, { contentType: 'application/pdf' })
    await sql.keepReport(id, { key, sizeBytes: bytes.length, madeFrom: taken.madeFrom })
  },
})
