import { Problem } from '#kit'
import { listRuledOut, readScreening } from '../../../sql/screening/screenings.ts'
import { SAMPLE_SCREENING } from '../../../tasks/products/screening/sample/screening.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { readScreeningId } from './screen.ts'

/** Adds to the call of a report what was kept of the screening, before it is paid for. */
export async function completeReport(
  { db }: ApiContext,
  caller: Caller | undefined,
  fields: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  // Whose screening it is, is only known of a caller; one that asks for the price alone has none yet.
  if (!caller || fields.screeningId === SAMPLE_SCREENING) return fields
  const id = readScreeningId({ id: String(fields.screeningId) })
  const { result, subject, subjectKey } = await readScreening(db, caller.accountId, id).catch((error: unknown) => {
    throw error instanceof Problem ? new Problem(error.code, { field: 'screeningId' }) : error
  })
  const ruledOut = await listRuledOut(db, caller.accountId, subjectKey)
  return { ...fields, record: { ...result, subject, ruledOut } }
}
