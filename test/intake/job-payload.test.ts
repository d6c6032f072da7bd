import { expect, test } from 'vitest'
import { payloadOf } from '../../api/intake/job-payload.ts'
import type { Submission } from '../../api/intake/submit.ts'
import { loadOperation } from '../../tasks/index.ts'
import { openFrontDoor } from '../support/front-door.ts'

test.each([
  { name: 'image.blur', isAsync: false, seconds: 20 },
  { name: 'image.blur', isAsync: true, seconds: 900 },
  { name: 'image.ocr', isAsync: false, seconds: 60 },
  { name: 'pdf.merge', isAsync: false, seconds: 60 },
])('a run of $name may take $seconds s (asked for as async: $isAsync)', async ({ name, isAsync, seconds }) => {
  await using door = await openFrontDoor()
  const operation = await loadOperation(name)
  const staged = { input: {}, settle: async () => undefined }
  const submission = { operation, isAsync, staged, caller: { accountId: 'nobody' }, hold: {}, options: {} }
  const { payload } = await payloadOf(door.floor, submission as unknown as Submission, 'id', 1_000n)
  expect(payload.limitSeconds).toBe(seconds)
})
