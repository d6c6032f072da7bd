import type { Problem } from '#kit'
import type { SigningView } from '../../../../../sql/esigndoc/signing.ts'
import { fill } from '../../texts/choose.ts'
import type { Texts } from '../../texts/en.ts'
import { nameField } from './names.ts'

interface Fault {
  text: string
  /** Of fields. */
  ids: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

const TEXTS: Partial<Record<string, keyof Texts>> = {
  SIGNATURE_EMPTY: 'faultSignature',
  CONSENT_REQUIRED: 'faultConsent',
  CODE_WRONG: 'faultCode',
  CODES_EXHAUSTED: 'faultTries',
  CODE_SENT_RECENTLY: 'faultCodeSoon',
  INPUT_EMPTY: 'faultFile',
  INPUT_TOO_LARGE: 'faultFile',
  UNSUPPORTED_FORMAT: 'faultFile',
  IMAGE_DECODE_FAILED: 'faultFile',
  TOO_MANY_PIXELS: 'faultFile',
  BUSY: 'faultBusy',
}

/** What a signer is told of a fault, in their language; undefined if it is none that they can mend. */
export function describeFault({ code, hints }: Problem, texts: Texts, view: SigningView): Fault | undefined {
  const { field, ids, reason } = hints as { field?: string; ids?: string[]; reason?: string }
  if (code === 'FIELD_REQUIRED') return { text: texts.faultRequired, ids: new Set(ids) }
  if (code === 'FIELD_INVALID' || code === 'MISSING_FIELD' || code === 'INVALID_PARAM') {
    const known = view.fields.find(({ id }) => id === field)
    const name = known ? nameField(known, view.fields, texts) : (field ?? '')
    const text = fill(texts.faultInvalid, { field: name, reason: reason ?? '' })
    return { text, ids: new Set(field === undefined ? [] : [field]) }
  }
  const name = TEXTS[code]
  return name && { text: fill(texts[name], { sender: view.sender }), ids: NONE }
}

/** What a link that is of no use says. */
export function describeDeadLink({ code }: Problem, texts: Texts): string | undefined {
  return { LINK_EXPIRED: texts.expired, NOT_YOUR_TURN: texts.notYourTurn, NOT_FOUND: texts.unknown }[code as string]
}
