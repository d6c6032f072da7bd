import { newId } from '#kit'
import type { Finding, ReasonCode } from '../../formats/identity/reasons.ts'
import { screenPerson } from '../screening/index.ts'
import type { Subject } from './checks/person.ts'
import type { ReadDocument } from './reader.ts'

interface ScreenedCase {
  accountId: string
  referenceId: string | null
  subject: Subject | null
  terms: { aml?: { lists: string[]; threshold: number; allowSample: boolean } }
}

/** A screening with what it adds to the checks. */
interface Screened {
  finding: Finding
  screening: { shown: { screeningId: string; status: string }; kept: object } | undefined
}

/** Screens the person if that was asked for, by what the document says and, without one, by what the caller says. */
export async function screenSubject(
  { accountId, referenceId, subject, terms }: ScreenedCase,
  outcome: string,
  document: ReadDocument | undefined,
  deps: Parameters<typeof screenPerson>[2],
): Promise<Screened | undefined> {
  if (!terms.aml || outcome === 'retake') return undefined
  const name = [document?.firstName ?? subject?.firstName, document?.lastName ?? subject?.lastName].filter(text => text)
  if (name.length === 0)
    return { finding: { name: 'aml', result: 'skipped', detail: 'no name is known' }, screening: undefined }
  const dob = document?.dob ?? subject?.dob
  const person = { id: newId(), name: name.join(' '), ...(dob && { dob }), ...(referenceId && { referenceId }) }
  const screening = await screenPerson({ ...person, ...terms.aml }, accountId, deps)
  return { finding: describe(screening?.shown.status), screening }
}

function describe(status: string | undefined): Finding {
  if (status === undefined) return { name: 'aml', result: 'review', detail: 'the lists were not loaded' }
  if (status === 'clear') return { name: 'aml', result: 'pass', detail: status }
  return { name: 'aml', result: 'review', detail: status, reason: 'AML_HIT' }
}

/** What a screening adds to what was found. */
export function addScreening(
  { checks, reasonCodes }: { checks: readonly object[]; reasonCodes: readonly ReasonCode[] },
  { finding: { reason, ...check }, screening }: Screened,
) {
  return {
    checks: [...checks, check],
    reasonCodes: reason ? [...reasonCodes, reason] : reasonCodes,
    ...(screening && {
      aml: { status: screening.shown.status, screeningId: screening.shown.screeningId },
      screening: screening.kept,
    }),
  }
}
