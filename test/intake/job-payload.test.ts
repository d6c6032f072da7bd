import { expect, test } from 'vitest'
import { billableOperation } from '../../api/intake/billable.ts'
import type { FundedCall } from '../../api/intake/call.ts'
import { buildPayload } from '../../api/intake/job-payload.ts'
import { loadOperation } from '../../tasks/index.ts'
import { openInProcessApi } from '../support/stack/in-process-api.ts'

const HOLD = { amountMicros: 1_000n, ceilingMicros: 1_000n }

test.each([
  { name: 'image.blur', isAsync: false, seconds: 20 },
  { name: 'image.blur', isAsync: true, seconds: 900 },
  { name: 'image.ocr', isAsync: false, seconds: 60 },
  { name: 'pdf.merge', isAsync: false, seconds: 60 },
])('a run of $name may take $seconds s (asked for as async: $isAsync)', async ({ name, isAsync, seconds }) => {
  await using api = await openInProcessApi()
  const billable = billableOperation(await loadOperation(name))
  const staged = { input: {}, settle: async () => undefined }
  const call = { billable, isAsync, staged, caller: { accountId: 'account' }, hold: HOLD, options: {} }
  const { payload } = await buildPayload(api.context, call as unknown as FundedCall, 'id', 1_000n)
  expect(payload.limitSeconds).toBe(seconds)
})
