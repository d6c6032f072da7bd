import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/idverify/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Forget the images and the personal data of a verification when their time is over.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  async run({ id }, { sql, store }: StepDeps<typeof callers>) {
    const keys = await sql.purgeWhenDue(id)
    // The bytes first, so that no record is gone whose file is still there.
    for (const key of keys) await store.remove(key)
    if (keys.length > 0) await sql.forgetObjects(keys)
  },
})
