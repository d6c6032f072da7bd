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
  // Another tab, or a browser that has lost its cookies.
  RECIPIENT_ALREADY_SIGNED: 'faultSigned',
  LINK_IN_USE: 'inUse',
  VERIFICATION_REQUIRED: 'faultProof',
}

interface Hints {
  field?: string
  ids?: string[]
  reason?: string
  maxLength?: number
  format?: string
  min?: number
  max?: number
  character?: string
}

/** What a signer is told of a fault, in their language; undefined if it is none that they can mend. */
export function describeFault({ code, hints }: Problem, texts: Texts, view: SigningView): Fault | undefined {
  const { field, ids } = hints as Hints
  if (code === 'FIELD_REQUIRED') return { text: texts.faultRequired, ids: new Set(ids) }
  if (code === 'FIELD_INVALID' || code === 'MISSING_FIELD' || code === 'INVALID_PARAM') {
    const known = view.fields.find(({ id }) => id === field)
    const name = known ? nameField(known, view.fields, texts) : nameOther(field, texts)
    const text = fill(texts.faultInvalid, { field: name, reason: explain(hints, texts, view) })
    return { text: text.trim(), ids: new Set(field === undefined ? [] : [field]) }
  }
  const name = TEXTS[code]
  return name && { text: fill(texts[name], { sender: view.sender }), ids: NONE }
}

function nameOther(field: string | undefined, texts: Texts): string {
  const names: Record<string, string> = {
    ...{ toName: texts.reassignName, toEmail: texts.reassignEmail, reason: texts.declineWhy },
    ...{ signature: texts.signature, initials: texts.signature },
  }
  return names[field ?? ''] ?? ''
}

const FORMATS: Record<string, keyof Texts> = {
  ...{
    date: 'whyDate',
    email: 'whyEmail',
    integer: 'whyInteger',
    phone: 'whyPhone',
    url: 'whyUrl',
    number: 'whyNumber',
  },
}

/** What would be taken in place of it, where that can be said. */
function explain(hints: Hints, texts: Texts, { sender }: SigningView): string {
  const { maxLength, min, max, format = '', character } = hints
  if (maxLength !== undefined) return fill(texts.whyLength, { limit: maxLength })
  if ('emoji' in hints) return texts.whyEmoji
  if (character !== undefined) return fill(texts.whyCharacter, { character })
  if ('allowed' in hints) return texts.whyOption
  if ('pattern' in hints) return fill(texts.whyPattern, { sender })
  if (min !== undefined) return fill(texts.whyMin, { limit: min })
  if (max !== undefined) return fill(texts.whyMax, { limit: max })
  const text = FORMATS[format]
  return text ? texts[text] : ''
}

/** What a link that is of no use says. */
export function describeDeadLink({ code, hints }: Problem, texts: Texts): string | undefined {
  if (code === 'LINK_IN_USE') return fill(texts.inUse, { sender: String(hints.sender ?? '') })
  return { LINK_EXPIRED: texts.expired, NOT_YOUR_TURN: texts.notYourTurn, NOT_FOUND: texts.unknown }[code as string]
}
