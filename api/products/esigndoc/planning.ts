import { randomBytes } from 'node:crypto'
import { newId, Problem, type StagedFile } from '#kit'
import { openSigningKey } from '../../../ops/products/witness/index.ts'
import type { NewEnvelope, NewRecipient, PreparedFile } from '../../../sql/esigndoc/envelopes.ts'
import type { PreparedDocuments } from '../../../sql/esigndoc/preparations.ts'
import { startNow } from '../../../tasks/products/baton/index.ts'
import type { FieldTerms } from '../../../tasks/products/esigndoc/field-body.ts'
import { isTimeZone, priceEnvelope } from '../../../tasks/products/esigndoc/index.ts'
import { keepWritable, requireWritable } from '../../../tasks/products/esigndoc/mark.ts'
import { parsePattern } from '../../../tasks/products/esigndoc/pattern.ts'
import {
  type FieldRow,
  placeAutomatically,
  placeFields,
  planSearch,
  signs,
} from '../../../tasks/products/esigndoc/place.ts'
import { toLanguage } from '../../../tasks/products/esigndoc/terms.ts'
import { checkPrefilled, requireFillable } from '../../../tasks/products/esigndoc/values.ts'
import type { ApiContext } from '../../context.ts'
import { requireStorable } from '../../intake/body/storable.ts'
import { NO_ACCOUNT } from '../../intake/identity/anonymous.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'
import { specifyBaton } from '../baton/index.ts'
import { prepareFiles, type SentFile } from './documents.ts'
import type { EnvelopeRequest, OptionsRequest } from './envelope-body.ts'
import { checkLogo } from './logo.ts'
import { planRecipients, requireUrl } from './recipients.ts'

const MAX_METADATA_BYTES = 16_384

/** Throws what can be known to be wrong with the options of an envelope. */
export function checkOptions({ config }: Pick<ApiContext, 'config'>, options: OptionsRequest): void {
  const { timezone, metadata, recipients, seal, redirectUrl, declineRedirectUrl, branding } = options
  requireWritable(branding?.name ?? '', 'branding/name', 'INVALID_PARAM')
  if (redirectUrl !== undefined) requireUrl('redirectUrl', redirectUrl)
  if (declineRedirectUrl !== undefined) requireUrl('declineRedirectUrl', declineRedirectUrl)
  if (!isTimeZone(timezone)) throw new Problem('INVALID_PARAM', { field: 'timezone', reason: 'such as Europe/Berlin' })
  requireStorable('metadata', metadata, MAX_METADATA_BYTES)
  for (const [index, one] of recipients.entries())
    requireStorable(`recipients/${index}/metadata`, one.metadata, MAX_METADATA_BYTES)
  if (seal.level === 'B-T' && config.timestampUrl === undefined)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'timestamp', set: 'TIMESTAMP_URL' })
}

/** The documents that a body names. */
export function listFiles({ file, pdf, files }: Pick<EnvelopeRequest, 'file' | 'pdf' | 'files'>): SentFile[] {
  const given = [file, pdf, files].filter(one => one !== undefined)
  if (given.length === 0) throw new Problem('MISSING_FIELD', { field: 'file', oneOf: ['file', 'files'] })
  if (given.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: ['file', 'pdf', 'files'] })
  const sent = (files ?? [{ file: (file ?? pdf)! }]) as { file: unknown; name?: string }[]
  return sent.map(({ file: staged, name }, index) => {
    const known = staged as StagedFile
    return { file: known, name: cleanName(name ?? known.name, index) }
  })
}

function cleanName(name: string | undefined, index: number): string {
  const plain = (name ?? '')
    .replaceAll(/[\p{Cc}/\\]/gu, '_')
    .trim()
    .slice(0, 255)
    .toWellFormed()
  return plain || `document${index === 0 ? '' : `-${index + 1}`}.pdf`
}

export interface Planned {
  envelope: NewEnvelope
  pages: number
}

const plans = new WeakMap<object, Promise<Planned>>()

/** What a call comes to, made once for its price and for its work. */
export function planOnce(body: object, plan: () => Promise<Planned>): Promise<Planned> {
  const known = plans.get(body) ?? plan()
  plans.set(body, known)
  return known
}

/** An anonymous caller, who only asks for a price, is counted by address. */
export function findOwner(context: ApiContext, caller: Caller | undefined, ip: string): string {
  if (caller) return caller.accountId
  requireTokenRate(context, { kind: 'envelope-price', ip, perAddress: context.settings.get('rate.probe_per_minute') })
  return NO_ACCOUNT
}

/** Prepares the documents of a new envelope and places its fields. */
export async function planEnvelope(context: ApiContext, accountId: string, body: EnvelopeRequest): Promise<Planned> {
  checkOptions(context, body)
  checkRules(body.fields)
  const recipients = planRecipients(context, body)
  await checkLogo(context, accountId, body.branding)
  const files = listFiles(body)
  const known = recipients.map(describe)
  const search = planSearch(body.fields, body.autoPlaceSignature as boolean, known, toLanguage(body.language))
  const prepared = await prepareFiles(context, accountId, files, search)
  const rows = placeAll(prepared, body, recipients)
  return finishPlan(body, { title: body.title ?? nameOf(files), files: prepared.files, recipients, fields: rows })
}

/** A pattern that nothing can be checked by is refused with the field, and so is a value that the field does not take. */
export function checkRules(
  fields: readonly Pick<FieldTerms, 'type' | 'label' | 'options' | 'validation' | 'defaultValue'>[],
): void {
  for (const [index, field] of fields.entries()) {
    const { type, label = '', options = [], validation, defaultValue = null } = field
    if (type === 'heading') requireWritable(label, `fields/${index}/label`)
    for (const option of options) requireWritable(option, `fields/${index}/options`)
    if (validation?.pattern !== undefined) parsePattern(validation.pattern, `fields/${index}/validation/pattern`)
    checkPrefilled({ ...field, id: `fields/${index}/defaultValue` }, defaultValue)
  }
}

function nameOf([first]: readonly SentFile[]): string {
  return chooseTitle(first!.name.replace(/\.[a-z]{2,5}$/i, ''))
}

/** A title of a name that was not given as one. */
export function chooseTitle(name: string): string {
  return keepWritable(name).slice(0, 255).toWellFormed() || 'Document'
}

function describe({ id, email, role, name }: NewRecipient) {
  return { id, email, role, name }
}

export function newFieldId(): string {
  return `fld_${randomBytes(8).toString('hex')}`
}

function placeAll(
  { files, found }: PreparedDocuments,
  { fields, autoPlaceSignature }: Pick<EnvelopeRequest, 'fields' | 'autoPlaceSignature'>,
  recipients: readonly NewRecipient[],
): FieldRow[] {
  const known = recipients.map(describe)
  const placed = placeFields(fields, known, files, found ?? undefined, newFieldId)
  return autoPlaceSignature === false || !found ? placed : [...placed, ...placeAutomatically(found, known, newFieldId)]
}

interface Parts {
  title: string
  files: readonly PreparedFile[]
  recipients: NewRecipient[]
  fields: FieldRow[]
}

export function finishPlan(
  options: OptionsRequest,
  { title, files, recipients, fields }: Parts,
  more: Partial<NewEnvelope['row']> = {},
): Planned {
  requireWritable(title, 'title', 'INVALID_PARAM')
  const { recipients: _people, signingOrder, timezone, referenceId, metadata, expiresInDays, ...rest } = options
  const { file: _file, pdf: _pdf, files: _files, fields: _fields, ...others } = rest as Partial<EnvelopeRequest>
  const {
    autoPlaceSignature: _auto,
    sendImmediately: _sends,
    title: _title,
    dryRun: _dry,
    ...terms
  } = others as Record<string, unknown>
  const row = {
    ...{ id: newId(), title: title.trim() || title, terms, signing_order: signingOrder, timezone, metadata },
    ...{ reference_id: referenceId, expires_in_days: expiresInDays, ...more },
  }
  const pages = files.reduce((sum, one) => sum + one.pages.length, 0)
  return { envelope: { row, files, recipients, fields }, pages }
}

/** Throws, before anything is charged, what the sending would throw. */
function requireSendable(recipients: readonly NewRecipient[], fields: readonly FieldRow[]): void {
  if (!recipients.some(one => signs(one) || one.role === 'approver')) throw new Problem('NO_SIGNERS')
  const isMarked = (id: string) =>
    fields.some(
      ({ recipientId, spec }) =>
        recipientId === id && (spec.type === 'signature' || spec.type === 'initials') && !spec.readOnly,
    )
  const idle = recipients.flatMap((one, index) => (signs(one) && !isMarked(one.id) ? [index] : []))
  if (idle.length > 0) throw new Problem('NO_FIELDS', { recipients: idle })
  requireFillable(fields.map(({ id, recipientId, spec }) => ({ ...spec, id, owner: recipientId ?? null })))
}

export function priceOf({ envelope: { recipients, fields }, pages }: Planned): bigint {
  requireSendable(recipients, fields)
  return priceEnvelope({ recipients, pages })
}

const LEDGER = {
  sizeBytes: 16 * 2 ** 20,
  durationSeconds: 365 * 86_400,
  maxEgressBytes: 256 * 2 ** 20,
  writesAllowed: 1_000,
  readsAllowed: 10_000,
}

/** A ledger for a year, which is part of the price. Its owner can read, witness and extend it as any other. */
export async function planLedger(context: ApiContext, caller: Caller, title: string): Promise<object> {
  // What could not be proved later is not sold.
  await openSigningKey(context.db, context.config.secret)
  const name = `Envelope: ${title}`.slice(0, 200).toWellFormed()
  const { shape, stored } = await specifyBaton(context, caller, { preset: 'ledger', name, customShape: LEDGER })
  return { ...stored, ...startNow(shape.durationSeconds), quote: { amountMicros: '0', lines: [] } }
}
