import { createHash, randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Choice, FileInput, newId, Problem, UuidText } from '#kit'
import { openSigningKey } from '../../../ops/products/witness/index.ts'
import { hasRightChecksum } from '../../../ops/providers/sign-in/wallet-message.ts'
import { seal } from '../../../ops/secrets.ts'
import type { ContractView, createContract, NewParty } from '../../../sql/contract/contracts.ts'
import { startNow } from '../../../tasks/products/baton/index.ts'
import { writeDocument } from '../../../tasks/products/contract/index.ts'
import type { ApiContext } from '../../context.ts'
import { requireStorable } from '../../intake/body/storable.ts'
import { readFiles } from '../../intake/files/read-files.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import type { RouteJob } from '../../route.ts'
import { specifyBaton } from '../baton/index.ts'
import { PARTY, parseContractId } from './schema.ts'

export const Text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000\\ud800-\\udfff]*$', ...(description && { description }) })

const DAY_MS = 86_400_000
const MAX_DAYS = 90
const MAX_TERMS_BYTES = 65_536
const MAX_METADATA_BYTES = 16_384

const PartyBody = Type.Object(
  {
    key: Type.String({ pattern: '^[\\w-]{1,50}$', description: 'How the contract calls it, such as `seller`.' }),
    name: Type.Optional(Text(200)),
    role: Type.Optional(Text(100)),
    method: Choice(['wallet', 'account'], { description: 'How it signs. Neither does for the other.' }),
    address: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Of a wallet.' })),
    customerId: Type.Optional(UuidText('Of an account, or its mail address.')),
    email: Type.Optional(
      Type.String({
        pattern: '^[^\\s\\u0000\\ud800-\\udfff@<>"(),;:\\\\]+@[^\\s\\u0000\\ud800-\\udfff@<>"(),;:\\\\]+$',
        maxLength: 320,
      }),
    ),
    required: Type.Boolean({ default: true, description: 'Whether the contract waits for it.' }),
  },
  { additionalProperties: false },
)

export const ContractBody = Type.Object(
  {
    title: Text(200),
    terms: Type.Unknown({ description: 'A text, in which Markdown is shown as such, or an object. Up to 64 KiB.' }),
    parties: Type.Array(PartyBody, { minItems: 2, maxItems: 20 }),
    attachments: Type.Array(
      Type.Object(
        {
          name: Text(200),
          sha256: Type.Optional(
            Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of a file that the parties have.' }),
          ),
          file: Type.Optional(FileInput({ description: 'That file, to be hashed here. It is not kept.' })),
        },
        { additionalProperties: false },
      ),
      { maxItems: 20, default: [], description: 'Each has either the hash of a file, or the file.' },
    ),
    effectiveAt: Type.Optional(Type.String({ format: 'date-time' })),
    arbitration: Type.Optional(
      Type.Object(
        {
          arbitrator: Choice(['ai', 'operator'], {
            default: 'ai',
            description: 'A language model, in two passes that must agree, or the operator of this service.',
          }),
          evidenceWindowHours: Type.Integer({ minimum: 1, maximum: 168, default: 48 }),
          rules: Type.Optional(Text(8_000)),
        },
        {
          additionalProperties: false,
          description:
            'How disputes are ruled upon. Without it, nobody can open one. The parties agree to it with the terms.',
        },
      ),
    ),
    expiresAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Until when it can be signed: 30 days by default, 90 at most.' }),
    ),
    chainId: Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      default: 8_453,
      description: 'The chain that wallets see.',
    }),
    supersedes: Type.Optional(
      Type.String({
        description: 'A contract between the same parties, whose place this one takes when it is active.',
      }),
    ),
    notify: Type.Boolean({ default: true, description: 'Parties with a mail address are sent their links.' }),
    referenceId: Type.Optional(Text(200)),
    metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: false },
)

type Body = Static<typeof ContractBody>

/** Throws what is wrong with a contract before anything is charged. */
export async function planContract(
  context: ApiContext,
  { caller, job, body }: { caller: Caller; job: RouteJob; body: Body },
): Promise<Omit<Parameters<typeof createContract>[2], 'invitations'>> {
  const { config, db } = context
  const { title, terms, arbitration, chainId, referenceId, metadata } = body
  requireTerms(terms)
  requireStorable('metadata', metadata, MAX_METADATA_BYTES)
  // What could not be signed later is not sold.
  await openSigningKey(db, config.secret)
  const parties = body.parties.map(readParty)
  for (const [index, { address }] of body.parties.entries())
    if (address !== undefined && !(await hasRightChecksum(address)))
      throw invalid(`parties/${index}/address`, 'its capital letters are not those of its checksum; a letter is wrong')
  const keys = new Set(parties.map(({ key }) => key))
  if (keys.size < parties.length) throw invalid('parties', 'each has a key of its own')
  if (!parties.some(({ required }) => required)) throw invalid('parties', 'nobody is required to sign')
  const effectiveAt = body.effectiveAt && readTime('effectiveAt', body.effectiveAt).toISOString()
  const attachments = await hashAttachments(context, job, body)
  const document = writeDocument({ title, terms, parties, attachments, arbitration, effectiveAt })
  const id = newId()
  return {
    ...{ id, title, document, chainId, referenceId, metadata, expiresAt: readEnd(body.expiresAt) },
    supersedes: body.supersedes === undefined ? undefined : parseContractId(body.supersedes),
    parties: parties.map(party => withToken(config, party)),
    baton: await planLedger(context, caller, title),
  }
}

const MAX_ATTACHED_BYTES = 32 * 2 ** 20

/** What is attached is agreed to by its hash, whoever has computed it. */
async function hashAttachments(context: ApiContext, job: RouteJob, body: Body) {
  const { attachments } = body
  const wrong = attachments.findIndex(({ sha256, file }) => (sha256 === undefined) === (file === undefined))
  if (wrong >= 0) throw invalid(`attachments/${wrong}`, 'either a sha256 or a file')
  const files = await readFiles(context, job, { schema: ContractBody, body, maxBytes: MAX_ATTACHED_BYTES })
  const hashes = files.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  return attachments.map(({ name, sha256 }) => ({ name, sha256: sha256 ?? hashes.shift()! }))
}

function requireTerms(terms: unknown): void {
  const isText = typeof terms === 'string' && terms.trim() !== ''
  const isObject = typeof terms === 'object' && terms !== null && !Array.isArray(terms)
  if (!isText && !isObject) throw invalid('terms', 'a text or an object')
  requireStorable('terms', terms, MAX_TERMS_BYTES)
}

function readParty(party: Body['parties'][number], index: number) {
  const { key, name, role, method, address, customerId, email, required } = party
  const given = [address, customerId, email].filter(value => value !== undefined).length
  const wanted = method === 'wallet' ? address : (customerId ?? email)
  if (wanted === undefined || given > 1)
    throw invalid(
      `parties/${index}`,
      method === 'wallet'
        ? 'a wallet has an address, and nothing else'
        : 'an account has a customerId or an email; your own customerId is the id of GET /v1/account',
    )
  const known = { address: address?.toLowerCase(), customerId: customerId?.toLowerCase(), email: email?.toLowerCase() }
  return { key, name, role, method, ...known, required }
}

function readTime(field: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw invalid(field, 'a time such as 2026-12-31T12:00:00Z')
  return time
}

const DEFAULT_DAYS = 30

function readEnd(text: string | undefined): Date {
  if (text === undefined) return new Date(Date.now() + DEFAULT_DAYS * DAY_MS)
  const end = readTime('expiresAt', text)
  const days = (end.getTime() - Date.now()) / DAY_MS
  if (days <= 0 || days > MAX_DAYS) throw invalid('expiresAt', `within ${MAX_DAYS} days from now`)
  return end
}

type Planned = Omit<NewParty, 'id' | 'nonce' | 'tokenHash'>

function withToken({ secret }: ApiContext['config'], party: Planned): NewParty {
  const id = newId()
  return { ...party, id, nonce: randomBytes(32), tokenHash: PARTY.hash(secret, PARTY.derive(secret, id)) }
}

const LEDGER = {
  sizeBytes: 16 * 2 ** 20,
  durationSeconds: 365 * 86_400,
  maxEgressBytes: 256 * 2 ** 20,
  writesAllowed: 1_000,
  readsAllowed: 10_000,
}

/** A ledger for a year, which is part of the price. Its owner can read, witness and extend it as any other. */
async function planLedger(context: ApiContext, caller: Caller, title: string): Promise<object> {
  const name = `Contract: ${title}`.slice(0, 200).toWellFormed()
  const { shape, stored } = await specifyBaton(context, caller, { preset: 'ledger', name, customShape: LEDGER })
  return { ...stored, ...startNow(shape.durationSeconds), quote: { amountMicros: '0', lines: [] } }
}

/** The mail to a party that has an address, whose link is encrypted until it is sent. */
export function inviteByMail(
  { config }: Pick<ApiContext, 'config'>,
  { title, expiresAt }: { title: string; expiresAt: Date },
  { id: key, name, email }: NewParty,
) {
  if (email === undefined) return []
  const id = newId()
  const sealed = seal(config.secret, JSON.stringify({ url: buildPartyUrl(config, key) }), id)
  const data = { title, name: name ?? null, expiresAt: expiresAt.toISOString() }
  return [{ id, key, recipient: email, data, sealed }]
}

function buildPartyUrl({ publicUrl, secret }: ApiContext['config'], partyId: string): string {
  return `${publicUrl}/contracts/${PARTY.derive(secret, partyId)}`
}

/** The link of each party, which is stored nowhere. */
export function listPartyUrls(config: ApiContext['config'], { parties }: Pick<ContractView, 'parties'>) {
  return parties.map(({ id, key }) => ({ partyKey: key, url: buildPartyUrl(config, id) }))
}

function invalid(field: string, reason: string): Problem {
  return new Problem('INVALID_PARAM', { field, reason })
}
