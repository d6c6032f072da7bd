import { type Static, Type } from 'typebox'
import { Choice, cleanName, FileInput, newId, Problem } from '#kit'
import { seal } from '../../../ops/secrets.ts'
import type { AskView, NewAsk, NewFile, NewRecipient } from '../../../sql/ask/asks.ts'
import { checkReply, type GivenReply, readForm } from '../../../tasks/products/ask/index.ts'
import type { ApiContext } from '../../context.ts'
import { requireStorable } from '../../intake/body/storable.ts'
import { readFiles } from '../../intake/files/read-files.ts'
import type { RouteJob } from '../../route.ts'
import { type Contact, findMissing } from './recipients.ts'
import { type KINDS, REPLY, Text } from './schema.ts'

const MAX_JSON_BYTES = 65_536
const MAX_METADATA_BYTES = 16_384
const MAX_EXPIRES = 2_592_000

const OptionBody = Type.Object(
  {
    key: Text(100),
    label: Text(200),
    description: Type.Optional(Text(1_000)),
    style: Type.Optional(Choice(['default', 'primary', 'danger'])),
  },
  { additionalProperties: false },
)

export const FileBody = Type.Object(
  {
    name: Text(200),
    contentType: Type.String({ pattern: '^[\\w.+-]{1,100}/[\\w.+-]{1,100}$', default: 'application/octet-stream' }),
    base64: Type.String({ description: 'The bytes of the file.' }),
  },
  { additionalProperties: false },
)

const DefaultReply = Type.Object(
  {
    decision: Type.Optional(Choice(['approved', 'denied'])),
    choice: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    number: Type.Optional(Type.Number()),
    form: Type.Optional(Type.Object({}, { additionalProperties: true })),
    comment: Type.Optional(Text(4_000)),
  },
  { additionalProperties: false },
)

/** What every ask can say, also one that follows another. */
export const ASK_FIELDS = {
  question: Text(4_000, 'What is asked. Paragraphs, lists, `code`, bold and links are shown as such.'),
  options: Type.Optional(Type.Array(OptionBody, { minItems: 1, maxItems: 20, description: 'Of a choice.' })),
  schema: Type.Optional(
    Type.Unknown({
      description: 'Of a form: a JSON Schema of an object with up to 30 flat properties; texts, numbers, booleans.',
    }),
  ),
  context: Type.Optional(
    Type.Unknown({ description: 'What one must know to reply, a text or any JSON up to 64 KiB.' }),
  ),
  attachments: Type.Array(FileInput({ named: true, allowEmpty: true }), {
    maxItems: 5,
    default: [],
    description: 'Shown as files. They are kept with the ask, so uploads and batons may go.',
  }),
  proposal: Type.Optional(Type.Unknown({ description: 'Of an approval: the action to approve, any JSON.' })),
  allowEdit: Type.Boolean({ default: false, description: 'Whoever approves may edit the proposal.' }),
  allowComment: Type.Boolean({ default: true }),
  quorum: Type.Optional(
    Type.Object(
      {
        approve: Type.Union([Choice(['any', 'all']), Type.Integer({ minimum: 1, maximum: 1_000 })], {
          default: 'any',
          description: 'How many approvals it takes.',
        }),
        denyVetoes: Type.Boolean({ default: true, description: 'One denial is enough to end it.' }),
      },
      { additionalProperties: false, description: 'Of an approval.' },
    ),
  ),
  maxReplies: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'How many replies end it, 1 by default. Of an approval with a link alone: how many people may vote.',
    }),
  ),
  expiresInSeconds: Type.Integer({ minimum: 60, maximum: MAX_EXPIRES, default: 86_400 }),
  onTimeout: Choice(['expire', 'default'], {
    default: 'expire',
    description: 'What happens when nobody has replied in time; `default`: `defaultReply` counts.',
  }),
  defaultReply: Type.Optional(DefaultReply),
  reminders: Type.Array(Type.Integer({ minimum: 60, maximum: MAX_EXPIRES }), {
    maxItems: 10,
    default: [],
    description: 'After how many seconds those who have not replied are reminded.',
  }),
  urgency: Choice(['low', 'normal', 'high'], {
    default: 'normal',
    description: '`high`: its title says so, and it comes first in the inbox. `low`: Telegram makes no sound for it.',
  }),
  referenceId: Type.Optional(Text(200, 'Your own name for it, which the event has too.')),
  metadata: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Yours; the event has it too.' })),
}

const AskBody = Type.Object(ASK_FIELDS)

interface Asked extends Static<typeof AskBody> {
  kind: (typeof KINDS)[number]
}

interface Step {
  afterSeconds: number
  to: readonly Contact[]
}

/** Those who are asked, and those who are asked later if it is still open then. */
interface Audience {
  to: readonly Contact[]
  escalation: readonly Step[]
  threadId: string | undefined
}

/** Throws what is wrong with an ask before anything is charged. */
export function planAsk(
  context: ApiContext,
  asked: Asked,
  { to, escalation, threadId }: Audience,
): Omit<NewAsk, 'attachments'> {
  const { config } = context
  requireParts(asked)
  requireTimes(asked, escalation)
  const id = newId()
  const recipients = [
    ...(to.length > 0 ? to : [LINK]).map(contact => planRecipient(context, contact, { step: 0, afterSeconds: 0 })),
    ...escalation.flatMap(({ afterSeconds, to: later }, index) =>
      later.map(contact => planRecipient(context, contact, { step: index + 1, afterSeconds })),
    ),
  ]
  requireDistinct([...to, ...escalation.flatMap(step => step.to)])
  requireReachable(context, to)
  const form = asked.kind === 'form' ? readForm(asked.schema) : undefined
  const { allowComment, allowEdit, options = null } = asked
  const terms = { kind: asked.kind, options, schema: form ?? null, allowComment, allowEdit }
  return {
    ...{ id, threadId: threadId ?? `ask_${id.replaceAll('-', '')}`, referenceId: asked.referenceId },
    ...{ metadata: asked.metadata, kind: asked.kind, urgency: asked.urgency, question: asked.question },
    ...{ context: asked.context, options: asked.options, form, proposal: asked.proposal },
    ...{ allowsComment: allowComment, allowsEdit: allowEdit },
    ...countVotes(asked, to.length, recipients.length),
    defaultReply: asked.onTimeout === 'default' ? readDefault(terms, asked.defaultReply) : undefined,
    expiresInSeconds: asked.expiresInSeconds,
    reminders: asked.reminders,
    recipients: recipients.map(recipient => withToken(config, recipient)),
  }
}

const LINK: Contact = { name: undefined, kind: 'link', address: undefined }

function requireParts(asked: Asked): void {
  const { kind, options, schema, proposal, allowEdit, quorum, onTimeout, defaultReply } = asked
  const only = (field: string, isGiven: boolean, owner: string) => {
    if (isGiven && kind !== owner) throw invalid(field, `only an ask of kind ${owner} has it`)
  }
  only('options', options !== undefined, 'choice')
  only('schema', schema !== undefined, 'form')
  only('proposal', proposal !== undefined, 'approval')
  only('quorum', quorum !== undefined, 'approval')
  if (allowEdit && proposal === undefined) throw invalid('allowEdit', 'there is no proposal to edit')
  const keys = options?.map(({ key }) => key) ?? []
  if (kind === 'choice' && (keys.length < 2 || new Set(keys).size < keys.length)) throw new Problem('OPTIONS_REQUIRED')
  if ((onTimeout === 'default') !== (defaultReply !== undefined))
    throw invalid('defaultReply', 'it goes with onTimeout default, and only with that')
  requireStorable('context', asked.context, MAX_JSON_BYTES)
  requireStorable('proposal', proposal, MAX_JSON_BYTES)
  requireStorable('schema', schema, MAX_JSON_BYTES)
  requireStorable('defaultReply', defaultReply, MAX_JSON_BYTES)
  requireStorable('metadata', asked.metadata, MAX_METADATA_BYTES)
}

function requireTimes({ expiresInSeconds, reminders }: Asked, escalation: readonly Step[]): void {
  if (reminders.some(seconds => seconds >= expiresInSeconds)) throw invalid('reminders', 'each before the ask expires')
  if (escalation.some(({ afterSeconds }) => afterSeconds >= expiresInSeconds))
    throw invalid('escalation', 'each step before the ask expires')
}

/** How many replies end it, of how many. Those of a later step can stand in for those who were asked first. */
function countVotes(ask: Asked, asked: number, all: number) {
  const later = asked === 0 ? all - 1 : all - asked
  return ask.kind === 'approval' ? countApprovals(ask, asked, later) : countReplies(ask, asked, later)
}

function countReplies({ maxReplies: needed = 1 }: Asked, asked: number, later: number) {
  const voters = (asked === 0 ? needed : asked) + later
  if (needed > voters) throw invalid('maxReplies', `only ${voters} can reply`)
  return { needed, voters, denialEnds: false }
}

function countApprovals({ quorum, maxReplies }: Asked, asked: number, later: number) {
  if (asked > 0 && maxReplies !== undefined) throw invalid('maxReplies', 'of an approval, quorum says it')
  const approve = quorum?.approve ?? 'any'
  const shared = maxReplies ?? (typeof approve === 'number' ? approve : 1)
  const first = asked > 0 ? asked : shared
  const needed = { any: 1, all: first }[approve] ?? Number(approve)
  if (needed > first + later) throw invalid('quorum/approve', `only ${first + later} can reply`)
  return { needed, voters: first + later, denialEnds: quorum?.denyVetoes ?? true }
}

type Planned = Omit<NewRecipient, 'tokenHash' | 'sealedUrl'>

function planRecipient(context: ApiContext, contact: Contact, when: { step: number; afterSeconds: number }): Planned {
  const missing = findMissing(context, contact)
  const delivery = missing ? 'failed' : contact.kind === 'link' || contact.kind === 'wallet' ? 'none' : 'waiting'
  const error = missing && `${missing.capability} is not configured here.`
  return { id: newId(), ...contact, ...when, delivery, error }
}

const PERSONAL = new Set<Contact['kind']>(['email', 'sms', 'wallet'])

/** A person has one vote, so that nobody makes up a quorum alone. What several people read may be named more than once. */
function requireDistinct(contacts: readonly Contact[]): void {
  const seen = new Set<string>()
  for (const { kind, address } of contacts) {
    if (address === undefined || !PERSONAL.has(kind)) continue
    const recipient = `${kind} ${address}`
    if (seen.has(recipient)) throw new Problem('RECIPIENT_INVALID', { recipient: address, reason: 'it is named twice' })
    seen.add(recipient)
  }
}

/** Whom nobody can reach by this installation gets no ask; if some can be reached, the others are listed as undelivered. */
function requireReachable(context: ApiContext, to: readonly Contact[]): void {
  const missing = to.flatMap(contact => findMissing(context, contact) ?? [])
  if (to.length === 0 || missing.length < to.length) return
  const way = 'Leave `to` out and pass the link on yourself, or have the operator set it.'
  throw new Problem('PROVIDER_NOT_CONFIGURED', { ...missing[0]!, way })
}

function withToken({ secret, publicUrl }: ApiContext['config'], recipient: Planned): NewRecipient {
  const token = REPLY.derive(secret, recipient.id)
  const sealedUrl = seal(secret, `${publicUrl}/r/${token}`, recipient.id)
  return { ...recipient, tokenHash: REPLY.hash(secret, token), sealedUrl }
}

function readDefault(terms: Parameters<typeof checkReply>[0], given: GivenReply | undefined): object {
  if (terms.kind === 'file') throw invalid('defaultReply', 'a file has no default')
  const { decision, value, comment } = checkReply(terms, given ?? {})
  return { decision, value, comment }
}

/** The files that come with an ask. Throws BODY_TOO_LARGE. */
export async function readAttachments(context: ApiContext, job: RouteJob, body: unknown): Promise<NewFile[]> {
  const maxBytes = context.settings.get('ask.max_file_bytes')
  const files = await readFiles(context, job, { schema: AskBody, body, maxBytes })
  return files.map(({ name = '', type: contentType, bytes }) => {
    return { id: newId(), name: cleanName(name) || 'file', contentType, base64: bytes.toString('base64') }
  })
}

/** The file of a reply. Throws INVALID_PARAM for what is no base64, and BODY_TOO_LARGE. */
export function readReplyFile({ name, contentType, base64 }: Static<typeof FileBody>, maxBytes: number): NewFile {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw invalid('file/base64', 'it is not base64')
  if (Buffer.byteLength(base64, 'base64') > maxBytes) throw new Problem('BODY_TOO_LARGE', { maxBytes })
  return { id: newId(), name: cleanName(name) || 'file', contentType, base64 }
}

function invalid(field: string, reason: string): Problem {
  return new Problem('INVALID_PARAM', { field, reason })
}

/** Adds the links, which are stored nowhere. */
export function revealLinks(result: unknown, { config: { publicUrl, secret } }: Pick<ApiContext, 'config'>): object {
  const ask = result as AskView
  const first = ask.recipients.filter(({ step }) => step === 0)
  const replyUrls = first.map(({ id, name, address }) => ({
    recipient: name ?? address ?? 'link',
    url: `${publicUrl}/r/${REPLY.derive(secret, id)}`,
  }))
  return { ...ask, replyUrls, waitUrl: `${publicUrl}/v1/bridge/asks/${ask.id}/wait?timeoutSec=55` }
}
