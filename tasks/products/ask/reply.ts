import { Problem } from '#kit'
import { type Form, findFormFault } from './form.ts'

type Kind = 'approval' | 'choice' | 'text' | 'number' | 'form' | 'file'

/** What an ask takes as its reply. */
interface Terms {
  kind: Kind
  options: readonly { key: string }[] | null
  schema: object | null
  allowComment: boolean
  allowEdit: boolean
}

export interface GivenReply {
  decision?: 'approved' | 'denied' | undefined
  choice?: string | undefined
  text?: string | undefined
  number?: number | undefined
  form?: object | undefined
  file?: object | undefined
  comment?: string | undefined
  editedProposal?: unknown
}

interface CheckedReply {
  decision: 'approved' | 'denied' | undefined
  /** Of a reply by file, nothing: the file itself is kept apart. */
  value: unknown
  comment: string | undefined
  editedProposal: unknown
}

/** The field of a reply to an ask of each kind. */
const FIELD_OF: Record<Kind, keyof GivenReply> = {
  approval: 'decision',
  ...{ choice: 'choice', text: 'text', number: 'number', form: 'form', file: 'file' },
}

const MAX_TEXT = 20_000

/** Checks a reply against what was asked. Throws REPLY_INVALID. */
export function checkReply(terms: Terms, given: GivenReply): CheckedReply {
  const wanted = FIELD_OF[terms.kind]
  requireField(wanted, given)
  const { decision, comment, editedProposal } = given
  if (comment !== undefined && !terms.allowComment) refuse('/comment', 'this ask takes no comment')
  if (editedProposal !== undefined) requireEditable(terms, decision)
  requireValue(terms, given)
  const value = terms.kind === 'approval' || terms.kind === 'file' ? undefined : given[wanted]
  return { decision, value, comment, editedProposal }
}

function requireField(wanted: keyof GivenReply, given: GivenReply): void {
  const stray = Object.values(FIELD_OF).find(field => field !== wanted && given[field] !== undefined)
  if (stray !== undefined) refuse(`/${stray}`, `this ask wants ${wanted}`)
  if (given[wanted] === undefined) refuse(`/${wanted}`, 'it is required by this ask')
}

function requireEditable({ allowEdit }: Terms, decision: GivenReply['decision']): void {
  if (!allowEdit) refuse('/editedProposal', 'the proposal of this ask cannot be edited')
  if (decision !== 'approved') refuse('/editedProposal', 'only an approval can edit the proposal')
}

function requireValue({ kind, options, schema }: Terms, { choice, text, number, form }: GivenReply): void {
  if (kind === 'choice' && !options?.some(({ key }) => key === choice))
    refuse('/choice', `one of ${options?.map(({ key }) => key).join(', ')}`)
  if (kind === 'text' && text!.trim() === '') refuse('/text', 'it is empty')
  if (kind === 'text' && text!.length > MAX_TEXT) refuse('/text', `at most ${MAX_TEXT} characters`)
  if (kind === 'number' && !Number.isFinite(number)) refuse('/number', 'it must be a number')
  const fault = kind === 'form' && findFormFault(schema as Form, form)
  if (fault) refuse(fault.path, fault.reason)
}

function refuse(path: string, reason: string): never {
  throw new Problem('REPLY_INVALID', { path, reason })
}
