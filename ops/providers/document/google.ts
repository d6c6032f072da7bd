import { Problem } from '#kit'
import { type HostedIdentity, joinSides } from '../../../tasks/formats/document/hosted.ts'
import { normalizeInvoice } from '../../../tasks/formats/invoice/hosted.ts'
import type { CallLimits } from '../call-limits.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { DocumentAdapter, SentPage } from './contract.ts'
import { type GoogleEntity, readGoogleIdentity, readGoogleInvoice } from './google-entities.ts'
import { GoogleLayout, type GooglePage } from './google-layout.ts'
import { openTokens } from './google-token.ts'
import type { GoogleConfig } from './settings.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 32 * 2 ** 20

interface GoogleDocument {
  text?: string
  pages?: GooglePage[]
  entities?: GoogleEntity[]
}

/** Document AI by its REST API. It serves the operations for which the operator has processors. */
export function openGoogleDocuments({ url: baseUrl, account, processors }: GoogleConfig): DocumentAdapter {
  const client = openProviderClient({ provider: 'google', baseUrl, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  const getToken = openTokens(account)
  const { ocr, form, invoice, licence, passport } = processors

  async function ask(processor: string, page: SentPage, { signal, deadlineMs }: CallLimits): Promise<GoogleDocument> {
    const { languages: languageHints = [] } = page
    const timeoutMs = Math.ceil(Math.min(TIMEOUT_MS, deadlineMs - performance.now()))
    if (timeoutMs <= 0) throw unavailable({ reason: 'no time is left' })
    const headers = { authorization: `Bearer ${await getToken(signal)}` }
    const rawDocument = { content: Buffer.from(page.bytes).toString('base64'), mimeType: 'image/jpeg' }
    // Other processors refuse options of OCR.
    const takesHints = languageHints.length > 0 && (processor === ocr || processor === form)
    const processOptions = takesHints && { processOptions: { ocrConfig: { hints: { languageHints } } } }
    const json = { rawDocument, skipHumanReview: true, ...processOptions }
    const call = { path: `/v1/${processor}:process`, json, headers, signal, timeoutMs, isRepeatable: true }
    const { document } = ((await client(call).catch(explainRefusal)) ?? {}) as { document?: GoogleDocument }
    if (!document) throw unavailable({ reason: 'its answer is empty' })
    return document
  }

  const readLayout = async (processor: string, page: SentPage, limits: CallLimits) => {
    const { text = '', pages: [first] = [], entities = [] } = await ask(processor, page, limits)
    const layout = new GoogleLayout(text, first)
    return { layout, lines: layout.readLines(), entities }
  }

  const readSide = async (page: SentPage, limits: CallLimits): Promise<HostedIdentity> => {
    const kinds = [[licence, 'driving-licence'] as const, [passport, 'passport'] as const]
    for (const [processor, documentType] of kinds) {
      const { entities = [] } = processor ? await ask(processor, page, limits) : {}
      const found = readGoogleIdentity(entities, documentType)
      if (Object.keys(found.fields).length > 0) return found
    }
    return { fields: {} }
  }

  return {
    takesLanguages: ['ocr-layout', 'extract-tables', 'extract-form'],
    ...(ocr && {
      readText: async (page, limits) => ({ lines: (await readLayout(ocr, page, limits)).lines }),
    }),
    ...(form && {
      async readTables(page, limits) {
        const { layout, lines } = await readLayout(form, page, limits)
        return { lines, tables: layout.readTables() }
      },
      async readFields(page, limits) {
        const { layout, lines } = await readLayout(form, page, limits)
        return { lines, fields: layout.readFields() }
      },
    }),
    ...(invoice && {
      async readInvoice(page, hints, limits) {
        const { lines, entities } = await readLayout(invoice, page, limits)
        const texts = lines.map(({ text }) => text)
        return { lines, invoice: normalizeInvoice(readGoogleInvoice(entities, texts), hints) }
      },
    }),
    ...((licence || passport) && {
      async readIdentity(pages, limits) {
        const sides: HostedIdentity[] = []
        for (const page of pages) sides.push(await readSide(page, limits))
        return joinSides(sides)
      },
    }),
  } satisfies DocumentAdapter
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { message = '' } = (error.body as { error?: { message?: string } }).error ?? {}
  if (error.status === 400 && /document|image|mime/i.test(message))
    throw new Problem('IMAGE_DECODE_FAILED', { provider: 'google' })
  throw unavailable({ providerStatus: error.status })
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider: 'google', ...hints })
}
