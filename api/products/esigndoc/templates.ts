import { newId, Problem } from '#kit'
import { readTemplate, saveTemplate, type TemplateField, type TemplateView } from '../../../sql/esigndoc/templates.ts'
import type { FieldTerms, TemplateFieldTerms } from '../../../tasks/products/esigndoc/field-body.ts'
import { type FieldRow, placeFields, planSearch } from '../../../tasks/products/esigndoc/place.ts'
import { EnvelopeOptions, type RecipientTerms } from '../../../tasks/products/esigndoc/terms.ts'
import { checkPrefilled } from '../../../tasks/products/esigndoc/values.ts'
import type { ApiContext } from '../../context.ts'
import { requireStorable } from '../../intake/body/storable.ts'
import { validate } from '../../intake/validate.ts'
import { prepareFiles } from './documents.ts'
import type { OptionsRequest } from './envelope-body.ts'
import { checkLogo } from './logo.ts'
import { checkOptions, checkRules, chooseTitle, finishPlan, listFiles, newFieldId, type Planned } from './planning.ts'
import { planRecipients } from './recipients.ts'
import { parseTemplateId } from './schema.ts'
import type { FromTemplateRequest, TemplateRequest } from './template-body.ts'

const MAX_DEFAULTS_BYTES = 65_536

/** Prepares the documents of a template, places its fields, and stores it. */
export async function storeTemplate(
  context: ApiContext,
  accountId: string,
  body: TemplateRequest,
  id: string | undefined,
): Promise<TemplateView> {
  const { name, roles, fields, defaults = {} } = body
  requireStorable('defaults', defaults, MAX_DEFAULTS_BYTES)
  requireDistinct('roles', roles)
  requireDistinct('fields', fields)
  checkRules(fields)
  await checkLogo(context, accountId, brandingOf(defaults))
  const people = roles.map(({ key, name: title, role }) => ({ id: key, email: key, role, name: title }))
  const placeable = fields.map(field => toField(field, people))
  const search = planSearch(placeable, false, people, 'en')
  const { files, found } = await prepareFiles(context, accountId, listFiles(body), search)
  const rows = placeFields(placeable, people, files, found ?? undefined, newFieldId)
  const stored = { name, files, roles, fields: rows.map(toTemplateField), defaults }
  return saveTemplate(context.db, accountId, { ...stored, id: id ?? newId(), isNew: id === undefined })
}

/** Of options that the schema of a call has checked. */
export function brandingOf(options: Readonly<Record<string, unknown>>): { logo?: string } | undefined {
  return options.branding as { logo?: string } | undefined
}

function requireDistinct(field: string, items: readonly { key: string }[]): void {
  if (new Set(items.map(({ key }) => key)).size < items.length)
    throw new Problem('INVALID_PARAM', { field, reason: 'each has a key of its own' })
}

function toField({ key, role, ...field }: TemplateFieldTerms, people: readonly { id: string }[]): FieldTerms {
  const recipient = role === undefined ? undefined : people.findIndex(({ id }) => id === role)
  if (recipient === -1) throw new Problem('RECIPIENT_UNKNOWN', { field: key, role: role! })
  return { ...field, id: key, ...(recipient !== undefined && { recipient }) }
}

function toTemplateField({ id, recipientId, spec, value }: FieldRow): TemplateField {
  return { key: id, role: recipientId ?? null, ...spec, ...(value !== null && { defaultValue: value }) }
}

/** A template for its owner. */
export function describeTemplate({ files, ...shown }: TemplateView): object {
  return {
    ...shown,
    files: files.map(({ name, original, content, pages }) => {
      return { name, sha256: content.sha256, originalSha256: original.sha256, pages: pages.length }
    }),
  }
}

/** An envelope of a template, with people in its roles. */
export async function planFromTemplate(
  context: ApiContext,
  accountId: string,
  body: FromTemplateRequest,
  more: object = {},
): Promise<Planned> {
  const templateId = parseTemplateId(body.templateId)
  const template = await readTemplate(context.db, accountId, templateId)
  await checkLogo(context, accountId, brandingOf(body))
  return fillTemplate(context, templateId, template, body, more)
}

export function fillTemplate(
  context: Pick<ApiContext, 'config' | 'mail' | 'settings'>,
  templateId: string,
  template: TemplateView,
  body: FromTemplateRequest,
  more: object = {},
): Planned {
  const { templateId: _id, recipients: takers, prefill = {}, fields: rules = {}, ...given } = body
  const { sendImmediately: _sends, title: ownTitle, dryRun: _dry, ...options } = given as Record<string, unknown>
  const { title: defaultTitle, ...defaults } = template.defaults
  const merged = { ...defaults, ...options }
  validate(EnvelopeOptions, merged)
  const terms = { ...merged, recipients: takers.map(taker => toRecipient(taker, template)) } as OptionsRequest
  checkOptions(context, terms)
  const recipients = planRecipients(context, terms)
  requireOnePerson(template, takers)
  const roleIds = new Map(takers.map(({ role }, index) => [role, recipients[index]!.id]))
  requireKnownKeys(template, { ...prefill, ...rules })
  const fields = template.fields.map(field => fillField(field, roleIds, prefill[field.key], rules[field.key]))
  const title = String(ownTitle ?? defaultTitle ?? chooseTitle(template.name))
  const made = { template_id: templateId, template_version: template.version, ...more }
  return finishPlan(terms, { title, files: template.files, recipients, fields }, made)
}

function toRecipient(
  { role: key, ...person }: FromTemplateRequest['recipients'][number],
  { roles }: TemplateView,
): RecipientTerms {
  const found = roles.find(role => role.key === key)
  if (!found) throw new Problem('RECIPIENT_UNKNOWN', { role: key, roles: roles.map(role => role.key) })
  return { ...person, role: found.role, order: found.order }
}

/** The fields of a role are filled in by one person; the second one would sign a document without a place to sign. */
function requireOnePerson({ fields }: TemplateView, takers: FromTemplateRequest['recipients']): void {
  const filling = new Set(fields.map(({ role }) => role))
  const index = takers.findIndex(({ role }, at) => filling.has(role) && takers.findIndex(one => one.role === role) < at)
  if (index === -1) return
  const { role } = takers[index]!
  throw new Problem('INVALID_PARAM', { field: `recipients/${index}/role`, role, reason: 'its fields have a person' })
}

function requireKnownKeys({ fields }: TemplateView, given: Readonly<Record<string, unknown>>): void {
  const keys = new Set(fields.map(({ key }) => key))
  const unknown = Object.keys(given).find(key => !keys.has(key))
  if (unknown !== undefined) throw new Problem('UNKNOWN_FIELD', { field: `prefill/${unknown}` })
}

function fillField(
  { key, role, defaultValue, ...spec }: TemplateField,
  roleIds: ReadonlyMap<string, string>,
  given: string | number | boolean | undefined,
  rules: object | undefined,
): FieldRow {
  const recipientId = role === null ? undefined : roleIds.get(role)
  if (role !== null && recipientId === undefined) throw new Problem('MISSING_FIELD', { field: 'recipients', role })
  if (given !== undefined) checkPrefilled({ ...spec, id: `prefill/${key}` }, given)
  const value = given ?? defaultValue ?? null
  return { id: key, recipientId, spec: { ...spec, ...rules }, value: typeof value === 'number' ? String(value) : value }
}
