import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

const run = promisify(execFile)

export const LETTER = async () => ({ inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') })

export const SIGNATURE = { type: 'signature', page: 1, x: 10, y: 80 }

const EVENTS = [
  ...['sent', 'viewed', 'signed', 'completed', 'rejected', 'expired', 'cancelled'].map(name => `envelope.${name}`),
]

/** What the tests of envelopes do as owner and as signer. */
export async function openSender(stack: Stack, balanceMicros = 2_000_000n) {
  const customer = await stack.customer(balanceMicros)
  const { body: hook } = await customer.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: EVENTS })
  const send = async (body: object) => {
    const answer = await customer.post('/v1/esigndoc/envelopes', body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body as EnvelopeReply
  }
  return {
    ...customer,
    send,
    read: async (id: string) => (await customer.get(`/v1/esigndoc/envelopes/${id}`)).body as EnvelopeReply,
    events: () => listEvents(stack, hook.id),
    waitFor: (id: string, status: string) => waitFor(customer, id, status),
  }
}

interface EnvelopeReply {
  id: string
  status: string
  recipients: { id: string; name: string; status: string; signingUrl?: string }[]
  fields: { id: string; type: string; value: unknown }[]
  [name: string]: unknown
}

async function listEvents(stack: Stack, webhook: string) {
  const found = await rows<{ event: string; payload: Record<string, unknown> }>(
    stack.db,
    'select event, payload from svc.webhook_delivery where endpoint_id = $1 order by sequence',
    [webhook],
  )
  return found.map(({ event, payload }) => ({ event: event.slice('envelope.'.length), payload }))
}

async function waitFor(customer: Customer, id: string, status: string): Promise<void> {
  await eventually(`the envelope to be ${status}`, async () => {
    const { body } = await customer.get(`/v1/esigndoc/envelopes/${id}/status`)
    return body.status === status
  })
}

/** A program that signs for a person, by their link. */
export function openSigner({ url }: Pick<Stack, 'url'>, envelope: EnvelopeReply, name: string) {
  const { signingUrl } = envelope.recipients.find(one => one.name === name)!
  return openLink(url, new URL(signingUrl!).pathname.split('/').at(-1)!)
}

export function openLink(url: string, token: string) {
  let session = ''
  const call = async (method: 'GET' | 'POST', path = '', body?: object) => {
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(session && { 'x-signing-session': session }),
    }
    const answer = await fetch(`${url}/v1/esigndoc/sign/${token}${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const reply = text.startsWith('{') ? JSON.parse(text) : text
    session = reply.session ?? session
    return { status: answer.status, body: reply }
  }
  const complete = (more: object = {}) =>
    call('POST', '/complete', { signature: { mode: 'type', data: 'Ida Example' }, consent: true, ...more })
  return { token, call, complete, look: () => call('GET'), open: () => call('POST', '/open') }
}

/** What poppler says of the signatures of a PDF, and of its text. */
export async function inspectPdf(bytes: Buffer): Promise<{ signatures: string; text: string }> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'signed.pdf')
  await writeFile(path, bytes)
  const signatures = await run('pdfsig', ['-nocert', path]).catch(({ stdout }) => ({ stdout }))
  const text = await run('pdftotext', ['-layout', path, '-'])
  return { signatures: signatures.stdout, text: text.stdout }
}
