import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { rows } from '../../../sql/db.ts'
import type { Answer } from '../stack/client.ts'
import { hasStatus, insist } from '../stack/kills.ts'
import type { Customer, Stack } from '../stack/start.ts'

const PATH = '/v1/esigndoc/envelopes'
const SIGNATURE = { type: 'signature', page: 1, x: 10, y: 80 }
const ROLES = ['first', 'second'].map(key => ({ key, name: key }))

/** An envelope of two signers. */
export interface Walked {
  id: string
  uuid: string
  /** The tokens of its signers. */
  tokens: string[]
}

export interface Walks {
  stack: Stack
  customer: Customer
  templateId: string
}

export async function openWalks(stack: Stack, creditMicros: bigint): Promise<Walks> {
  const customer = await stack.customer(creditMicros)
  const template = await customer.post('/v1/esigndoc/templates', {
    ...{ name: 'Letter', roles: ROLES },
    file: { inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') },
    fields: [
      { key: 'first', role: 'first', ...SIGNATURE },
      { key: 'second', role: 'second', ...SIGNATURE, x: 60 },
      { key: 'note', role: 'first', type: 'text', page: 1, x: 10, y: 60, required: false },
    ],
  })
  expect(template.status, template.text).toBe(201)
  return { stack, customer, templateId: template.body.id as string }
}

export function uuidOf(id: string): string {
  return id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

interface Batch {
  id: string
  rows: { envelopeId: string; status: string }[]
}

/** Makes envelopes by one call, which are sent or stay drafts. */
export async function makeBatch({ customer, templateId }: Walks, titles: readonly string[], sends: boolean) {
  const recipients = ROLES.map(({ key }) => ({ role: key, name: key, email: `${key}@example.com` }))
  // A lost sending is repeated later, when its mails would wait for locks that are meant for others.
  const delivery = sends ? 'email' : 'link'
  const options = { allowReassign: true, timezone: 'Europe/Berlin', delivery }
  const coded = [{ ...recipients[0]!, verification: 'email_otp' }, recipients[1]!]
  const body = {
    ...{ templateId, options, sendImmediately: sends },
    rows: titles.map(title => ({ title, recipients: title.startsWith('code') ? coded : recipients })),
  }
  const once = { 'idempotency-key': `batch-${titles.join('-').replaceAll(' ', '-')}` }
  const make = () => customer.post(`${PATH}/bulk`, body, once)
  return (await insist('a batch', make, hasStatus(202))).body as Batch
}

/** Envelopes that were sent, by their titles. */
export async function sendAll(walks: Walks, titles: readonly string[]): Promise<Map<string, Walked>> {
  const { id } = await makeBatch(walks, titles, true)
  const read = () => walks.customer.get(`/v1/esigndoc/batches/${id}`)
  const isSent = ({ body }: Answer) => (body as Batch).rows.every(({ status }) => status === 'sent')
  const { rows: sent } = (await insist('all to be sent', read, isSent)).body as Batch
  const found = await Promise.all(sent.map(async ({ envelopeId }) => readWalked(walks, envelopeId)))
  return new Map(found.map((walked, index) => [titles[index]!, walked]))
}

async function readWalked({ customer }: Walks, id: string): Promise<Walked> {
  const { body } = await insist('an envelope', () => customer.get(`${PATH}/${id}`), hasStatus(200))
  const links = (body as { recipients: { signingUrl: string }[] }).recipients
  return { id, uuid: uuidOf(id), tokens: links.map(({ signingUrl }) => signingUrl.split('/').at(-1)!) }
}

/** A call of one that signs. */
export function sign({ stack }: Walks, token: string, act: string, body: object = {}): Promise<Answer> {
  return stack.anonymous.post(`/v1/esigndoc/sign/${token}/${act}`, body)
}

export function complete(walks: Walks, token: string): Promise<Answer> {
  return sign(walks, token, 'complete', { signature: { mode: 'type', data: 'Ida' }, consent: true })
}

/** The events of an envelope, in order, without the common part of their names. */
export async function listEvents({ db }: Stack, { uuid }: Walked): Promise<string[]> {
  const text = 'select event from svc.webhook_delivery where subject_id = $1 order by sequence'
  return (await rows<{ event: string }>(db, text, [uuid])).map(({ event }) => event.replace('envelope.', ''))
}

/** How much the logs of envelopes say. */
export async function countEntries({ db }: Stack, uuids: readonly string[]): Promise<number> {
  const text = 'select count(*) from svc.audit_entry where subject_id = any ($1)'
  const [row] = await rows<{ count: bigint }>(db, text, [uuids])
  return Number(row!.count)
}
