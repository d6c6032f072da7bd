import { Problem } from '#kit'
import {
  declineSigning,
  openPage,
  type Signer,
  type SignerField,
  type SigningView,
} from '../../../../../sql/esigndoc/signing.ts'
import type { GivenMark } from '../../../../../tasks/products/esigndoc/mark.ts'
import type { Language } from '../../../../../tasks/products/esigndoc/terms.ts'
import type { ApiContext } from '../../../../context.ts'
import type { IncomingRequest } from '../../../../incoming-call.ts'
import type { AnswerSink } from '../../../../intake/reply/sink.ts'
import { proveAs, requestCode } from '../proving.ts'
import { reassignAs } from '../reassigning.ts'
import { completeAs, type GivenSignature, listOwnFields, saveSigning } from '../signing.ts'
import { markVisitor, readOrigin } from '../visitor.ts'

export type Act = 'open' | 'code' | 'prove' | 'wallet' | 'save' | 'complete' | 'decline' | 'reassign'

interface Acting {
  signer: Signer
  view: SigningView
  form: FormData
  language: Language
  request: IncomingRequest
  reply: AnswerSink
}

export function readText(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : undefined
}

/** Does what a button of the page says. Returns what to tell afterwards. */
export async function act(context: ApiContext, acting: Acting): Promise<Act> {
  const { signer, form, request, view } = acting
  const asked = readText(form, 'act') as Act
  const origin = readOrigin(request)
  switch (asked) {
    case 'open':
    case 'prove':
    case 'wallet':
      await admit(context, acting, asked)
      break
    case 'code':
      await requestCode(context, signer)
      break
    case 'save':
      await saveSigning(context, signer, await readGiven(acting), origin)
      break
    case 'complete':
      await completeAs(context, signer, await readSigned(acting), origin)
      break
    case 'decline':
      await declineSigning(context.db, signer, readReason(form), origin)
      break
    case 'reassign':
      await reassignAs(context, signer, readPerson(form), { origin, field: 'toName' })
      break
    default:
      throw new Problem('INVALID_PARAM', { field: 'act', view: view.id })
  }
  return asked
}

/** Marks the browser, which from then on may be the only one. */
async function admit(context: ApiContext, { signer, form, request, reply }: Acting, asked: Act): Promise<void> {
  const { session } = markVisitor(context, request, reply)
  const marked = { token: signer.token, session }
  const origin = readOrigin(request)
  if (asked === 'open') return openPage(context.db, marked, origin)
  const wallet = {
    ...{ address: readText(form, 'address') ?? '', signature: readText(form, 'signature') ?? '' },
    signedAt: Number(readText(form, 'signedAt')),
  }
  await proveAs(context, marked, { code: readText(form, 'code'), ...(asked === 'wallet' && { wallet }) }, origin)
}

function readReason(form: FormData): string {
  const reason = readText(form, 'reason')?.trim().slice(0, 500).toWellFormed().replaceAll('\0', '') ?? ''
  if (reason === '') throw new Problem('MISSING_FIELD', { field: 'reason' })
  return reason
}

const MAIL = /^[^\s@<>"(),;:\\]+@[^\s@<>"(),;:\\]+$/

function readPerson(form: FormData): { name: string; email: string } {
  const name = readText(form, 'toName')?.trim().slice(0, 200).toWellFormed().replaceAll('\0', '') ?? ''
  const email = readText(form, 'toEmail')?.trim() ?? ''
  if (name === '') throw new Problem('MISSING_FIELD', { field: 'toName' })
  if (!MAIL.test(email) || email.length > 320) throw new Problem('INVALID_PARAM', { field: 'toEmail' })
  return { name, email }
}

/** What was filled in, by the ids of the fields. */
async function readGiven({ form, view }: Acting): Promise<Pick<GivenSignature, 'values' | 'files'>> {
  const values: Record<string, unknown> = {}
  const files: Record<string, { name: string; bytes: Buffer }> = {}
  for (const field of listOwnFields(view).filter(isInput)) {
    const file = form.get(`v.${field.id}`)
    const value = file instanceof File ? undefined : readValue(form, field)
    if (value !== undefined) values[field.id] = value
    if (file instanceof File && file.size > 0)
      files[field.id] = { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) }
  }
  return { values, files }
}

function isInput({ type, readOnly }: SignerField): boolean {
  return !readOnly && type !== 'signature' && type !== 'initials' && type !== 'heading'
}

/** Undefined: the form has no such field, so what was saved stays. */
function readValue(form: FormData, { id, type, group = '' }: SignerField): unknown {
  if (type === 'checkbox') return readText(form, `v.${id}`) === 'yes'
  if (type === 'radio') return readText(form, `g.${group}`) === id
  return readText(form, `v.${id}`)
}

async function readSigned(acting: Acting): Promise<GivenSignature> {
  const { form, language } = acting
  const signature = await readMark(form)
  const consent = readText(form, 'consent') === 'yes'
  return { ...(await readGiven(acting)), signature, initials: undefined, consent, language }
}

async function readMark(form: FormData): Promise<GivenMark | undefined> {
  const mode = readText(form, 'mode')
  if (mode === 'type') return { mode, data: readText(form, 'typed') ?? '' }
  if (mode === 'draw') return { mode, data: readText(form, 'drawn') ?? '' }
  if (mode !== 'upload') return undefined
  const file = form.get('uploaded')
  if (!(file instanceof File) || file.size === 0) throw new Problem('SIGNATURE_EMPTY', { mode })
  return { mode, data: Buffer.from(await file.arrayBuffer()).toString('base64') }
}
