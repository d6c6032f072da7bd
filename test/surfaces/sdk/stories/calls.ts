import { BadRangeError, Coinop, CoinopError, type PdfMergeResult, verifyReceipt, verifyWebhook } from 'coinop'
import { privateKeyToAccount } from 'viem/accounts'

const client = new Coinop({ key: 'svc_test_0' })

const merged: PdfMergeResult = await client.pdf.merge({ files: ['a.pdf', new Blob([]), { text: '' }] })
const pages: number = merged.pages
const bytes: Uint8Array = await client.download(merged.output)
const next = await client.image.resize({ file: merged.output, width: 400, format: 'webp' })
const { quote } = await client.pdf.merge.quote({ files: ['a.pdf', 'b.pdf'] })
const atMost: string | undefined = quote?.atMost
const ticket = await client.pdf.merge.start({ files: ['a.pdf', 'b.pdf'] })
const later: PdfMergeResult = await ticket.wait({ onProgress: ({ phase }) => void (phase satisfies 'upload' | 'run') })
const job: { id: string } = await client.jobs.read({ id: ticket.id, wait: 5 })
const stored: { lease_id: string } = await client.leases.createStorage({ file: bytes, filename: 'a.txt' })
const signed = await verifyReceipt(await client.receipt(ticket.id), await client.system.jwks(), bytes)
const charged: string = signed.price.charged_micros
const page: string = await client.system.llms()
const payer = new Coinop({ wallet: privateKeyToAccount(`0x${'1'.repeat(64)}`), maxPaymentUsd: 0.1 })
const event = await verifyWebhook('{}', new Headers(), 'whsec_')
try {
  await payer.system.health()
} catch (error) {
  if (error instanceof BadRangeError) error.hints satisfies Readonly<Record<string, unknown>>
  if (error instanceof CoinopError) error.code satisfies string
}
void [pages, next, atMost, later, job, stored, charged, page, event.type]

// @ts-expect-error: a required argument is missing.
await client.pdf.merge({})
// @ts-expect-error: there is no such choice.
await client.image.resize({ file: 'a.png', width: 4, format: 'docx' })
// @ts-expect-error: it is a number.
await client.image.resize({ file: 'a.png', dpr: '2' })
// @ts-expect-error: there is no such argument.
await client.image.resize({ file: 'a.png', wdth: 4 })
// @ts-expect-error: there is no such call.
await client.pdf.nothing({})
// @ts-expect-error: a free route has no price.
await client.jobs.read.quote({ id: '' })
// @ts-expect-error: routes do not run in the background.
await client.leases.createStorage.start({ file: bytes })
// @ts-expect-error: a parameter of the path is missing.
await client.jobs.read({ wait: 5 })
// @ts-expect-error: the answer has no such field.
merged.nothing
